"""The checkers of the certificates of each kind of model."""
