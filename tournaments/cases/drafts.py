"""Cases of drafts."""

from collections.abc import Mapping

from tournaments.cases.forms import Case, Form, Outcome, form
from tournaments.core.options import Site, from_template

_SITE = Site(("XTK", "EUR"), "XTK")


def _creation(case: Case) -> Outcome:
    overrides = dict(case["options"])
    template = overrides.pop("template")
    problems = from_template(template, overrides, _SITE).problems
    return {"refused": problems[0]["code"]} if problems else "ok", case["expect"]


SECTIONS: Mapping[str, tuple[Form, ...]] = {
    "creation": (form(_creation, "options expect"),),
}
