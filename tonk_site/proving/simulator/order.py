"""What a run is asked for, and what it says of itself. Needs no Django."""

import shlex
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from tonk_site.proving.simulator.faults import KINDS, Fault

Mode = Literal["bounded", "unlimited", "none"]
Kind = Literal["cash", "tournament"]


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be simulated."""

    seed: str
    mode: Mode = "bounded"
    kind: Kind = "tournament"
    players: int = 9
    only: tuple[str, ...] = KINDS
    faults: tuple[Fault, ...] | None = None
    """Those of a trace, in place of what the seed draws."""
    first: tuple[str, ...] = ()
    """Operations that people are keen on until one of each was carried out."""
    trace: str = ""
    """File of the trace that this run repeats."""

    def again(self) -> str:
        """The command line that simulates the same."""
        if self.trace:
            return f"manage.py simulate --replay {shlex.quote(self.trace)}"
        line = f"manage.py simulate --seed {self.seed} --mode {self.mode} --world {self.kind}"
        if self.kind == "tournament":  # the people at the cash table are always as many
            line += f" --players {self.players}"
        if self.only != KINDS:
            line += f" --only-faults {','.join(self.only)}"
        return f"{line} --first {','.join(self.first)}" if self.first else line


@dataclass
class Report:
    """What a run was, and what it found."""

    seed: str
    mode: str
    world: str
    players: int
    hands: int = 0
    commands: int = 0
    events: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    virtual_seconds: int = 0
    steps: int = 0
    digest: str = ""
    safety: str = "ok"
    progress: str = "not asked"
    struck: list[Fault] = field(default_factory=list)
    met: list[tuple[str, str, int]] = field(default_factory=list)
    """Kind of fault, command, how often they met."""
    done: dict[str, int] = field(default_factory=dict)
    """How often each command was asked for."""
    succeeded: dict[str, int] = field(default_factory=dict)
    """How often it was carried out."""
    is_ended: bool = False
    """Whether the tournament is settled, the cash table closed."""
    refusals: dict[str, int] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether everything asked for holds."""
        return self.safety == "ok" and self.progress in {"ok", "not asked"}

    def line(self) -> dict[str, Any]:
        """The last line of `manage.py simulate`."""
        left_out = {"struck", "met", "done", "refusals", "succeeded", "is_ended"}
        found = {name: value for name, value in asdict(self).items() if name not in left_out}
        return found | {"ok": self.ok}
