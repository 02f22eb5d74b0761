"""Rules over HTTP: presets and options, a set in full, its sheet in words, a set tried out."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar

from django.http import HttpResponse, HttpResponseBase
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from typing_extensions import override

from eventstore.api.requests import check_members, read_body
from eventstore.core.refusal import Refused
from games import selectors
from games.api.bodies import RulesBody, SheetQuery
from games.rules import events
from games.rules.domains import Choice, Counts, Domain, Flag, Range
from games.rules.liability import liability
from games.rules.options import DOMAINS, SEATS_MIN, as_dict, differences
from games.rules.presets import PRESET_OPTIONS, reference
from games.rules.words.option_texts import OPTION_TEXTS, PRESET_TEXTS
from games.rules.words.plurals import Language, Text
from games.rules.words.sheet import Sheet, as_data, as_html, as_markdown, sheet
from games.rules.words.sheet_texts import CHANGED
from games.services.tables import rule_set
from players.api.base import ApiView, Operation, answer

# Forms of a sheet that are texts, with their media types.
TEXTS: Mapping[str, tuple[str, Callable[[Sheet], str]]] = MappingProxyType(
    {"html": ("text/html", as_html), "md": ("text/markdown", as_markdown)}
)


class RuleSets(ApiView):
    """`GET /rulesets`."""

    operations: ClassVar = {"GET": Operation("rulesets.list")}

    def get(self, request: Request) -> Response:
        """Every preset, and every option with its range."""
        del request
        presets = [_preset(name) for name in PRESET_OPTIONS]
        options = [_option(name, domain) for name, domain in DOMAINS.items()]
        return answer({"presets": presets, "options": options})


class Rules(ApiView):
    """`GET /rulesets/{ref}`."""

    operations: ClassVar = {"GET": Operation("rulesets.show")}

    def get(self, request: Request, ref: str) -> Response:
        """An option set in full, and what it may cost."""
        del request
        return answer(_rules(selectors.rules_by(ref)))


class RuleSheet(ApiView):
    """`GET /rulesets/{ref}/sheet`."""

    operations: ClassVar = {"GET": Operation("rulesets.sheet", query=SheetQuery)}

    @override
    def perform_content_negotiation(
        self, request: Request, force: bool = False
    ) -> tuple[BaseRenderer, str]:
        """What `format` asks for is served, whatever `Accept` says; problems are JSON."""
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """The rules in words."""
        query: Any = self.query
        rules = selectors.rules_by(ref)
        found = _sheet(rules, query.lang or self.language(request))
        response: HttpResponseBase
        if query.format in TEXTS:
            media, write = TEXTS[query.format]
            response = HttpResponse(write(found), content_type=f"{media}; charset=utf-8")
            response["Cache-Control"] = "private, no-cache"
        else:
            response = answer(_sheet_data(rules, found))
        response["Content-Language"] = found.language
        return response


class Validation(ApiView):
    """`POST /rulesets/validate`."""

    operations: ClassVar = {"POST": Operation("rulesets.validate")}

    def post(self, request: Request) -> Response:
        """What a table with these options would play by, or why they do not go together."""
        body = read_body(request, RulesBody)
        check_members({"options": body.options})
        rules = rule_set(body.preset, body.options, body.seats)
        found = _sheet(rules, self.language(request))
        # No knock tables are learned yet (`bots.md`).
        return answer(_rules(rules) | {"sheet": _sheet_data(rules, found), "knock_table": False})


def _preset(name: str) -> dict[str, object]:
    rules, words = selectors.rules_by(name), PRESET_TEXTS[name]
    return {
        "preset": name,
        "title": _both(words.title),
        "text": _both(words.text),
        "rules_version": rules.version,
        "rules_hash": rules.hash,
        "options": differences(rules.options),
    }


def _option(name: str, domain: Domain) -> dict[str, object]:
    words = OPTION_TEXTS[name]
    return {
        "option": name,
        "rule": words.rule,
        "type": _type(domain),
        "range": domain.allowed,
        "default": domain.default,
        "text": _both(words.text),
    }


def _type(domain: Domain) -> str:
    match domain:
        case Flag():
            return "boolean"
        case Choice():
            return "choice"
        case Range():
            return "integer"
        case Counts():
            return "list"
        case _:
            return "tiers"


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "lt": text.lt}


def _rules(rules: events.RuleSet) -> dict[str, object]:
    """An option set as documents show it; `preset` is there where the set is exactly one.

    `links` are there where the set can be found: a preset, or what a table was opened with.
    """
    name = _preset_of(rules)
    found: dict[str, object] = {"preset": name} if name else {}
    found |= {
        "rules_version": rules.version,
        "rules_hash": rules.hash,
        "options": as_dict(rules.options),
        "worst_loss": [
            {"seats": seats, "stakes": liability(rules.options, seats, 1)}
            for seats in range(SEATS_MIN, rules.options.max_players + 1)
        ],
    }
    return found | (_links(name or rules.hash) if _is_kept(rules) else {})


def _links(ref: str) -> dict[str, object]:
    return {"links": {"sheet": f"/api/v1/rulesets/{ref}/sheet"}}


def _is_kept(rules: events.RuleSet) -> bool:
    try:
        selectors.rules_by(rules.hash)
    except Refused:
        return False
    return True


def _preset_of(rules: events.RuleSet) -> str | None:
    """The preset that a set is exactly, None where it is none."""
    name = reference(rules.hash)
    return name if name in PRESET_OPTIONS else None


def _sheet(rules: events.RuleSet, language: Language) -> Sheet:
    """The sheet of a set, called by its preset or as changed rules."""
    preset = _preset_of(rules)
    name = PRESET_TEXTS[preset].title if preset else CHANGED
    return sheet(rules.options, language=language, name=name)


def _sheet_data(rules: events.RuleSet, found: Sheet) -> dict[str, object]:
    return {"preset": _preset_of(rules), "rules_hash": rules.hash} | as_data(found)
