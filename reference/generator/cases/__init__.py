"""The cases: what each is, its model file, and what usually goes wrong.

Options: `touch` says what becomes of a velocity that touches zero without changing its sign ("ignore": the slip goes
on); `uncounted` lists kinds of events in intervals of time that are neither missed nor invented, because arithmetic
with 16 digits cannot decide them; `multiple` lists instants at which a root of that order is located.
"""

from .adversarial import ADVERSARIAL
from .average import AVERAGE
from .higher import HIGHER
from .lower import LOWER
from .machines import MACHINES

ALL = LOWER + AVERAGE + HIGHER + ADVERSARIAL + MACHINES
