"""`python -m stickslip_checker certificate.json`: see `check`."""

import sys

from .check import main

sys.exit(main())
