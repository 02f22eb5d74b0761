"""Two that must agree, and how it is told when they do not."""

from eventstore.core.refusal import InvariantBroken
from tonk_site.proving.checks import Breach


class Differs(Exception):
    """What is compared is not the same, or a law does not hold."""

    def __init__(self, what: str, *, expected: object, got: object) -> None:
        super().__init__(f"{what}: expected {expected}, got {got}")
        self.what, self.expected, self.got = what, expected, got


FAULTS = (
    Differs,
    InvariantBroken,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What a comparison meets where the engine has a fault: it says so, or breaks down."""


def same(what: str, expected: object, got: object) -> None:
    """Nothing where both are equal. Raises: Differs."""
    if expected != got:
        raise Differs(what, expected=expected, got=got)


def breach(error: Exception, check: str, seed: str, number: int) -> Breach:
    """What a check tells of a hand, and the command that plays it again."""
    what, expected, got = type(error).__name__, "", str(error)
    if isinstance(error, Differs):
        what, expected, got = error.what, str(error.expected), str(error.got)
    rerun = f"manage.py prove {check} --seed {seed} --only {number}"
    return Breach(what, f"hand {seed}/{number}", expected, got, rerun)
