"""Cases of Swiss tournaments: pairing, standings, attendance; and of ratings."""

from collections.abc import Mapping

from tournaments.cases.forms import Form

SECTIONS: Mapping[str, tuple[Form, ...]] = {}
