"""Cases of schedules: brackets, round robin, groups, arena, no-shows."""

from collections.abc import Mapping

from tournaments.cases.forms import Form

SECTIONS: Mapping[str, tuple[Form, ...]] = {}
