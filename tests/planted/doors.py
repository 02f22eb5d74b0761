"""Faults of the doors: what a request may say, and for whom."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import msgspec

from eventstore.api import requests
from eventstore.core.refusal import Refused
from games import selectors
from games.services import moves
from tests.planted.planting import Plant
from tests.planted.putting import instead


def negative_amounts() -> None:
    """An amount below zero is as good as any."""
    instead(requests, "read_body", lambda true: lambda *asked: _lenient(true, asked, _is_negative))


def nan_is_a_number() -> None:
    """What JSON does not know, Python reads; what is no number passes for one."""
    instead(requests, "read_body", lambda true: lambda *asked: _lenient(true, asked, _is_nan))


def unknown_fields_are_passed_over() -> None:
    """What a form does not know does no harm, one thinks."""

    def make(true: Any) -> Any:
        def read_body(request: Any, form: Any) -> Any:
            try:
                return true(request, form)
            except Refused as refused:
                values = _values(request)
                known = {name: values[name] for name in form.__struct_fields__ if name in values}
                if known == values:
                    raise
                try:
                    return msgspec.convert(known, form)
                except msgspec.ValidationError:
                    raise refused from None

        return read_body

    instead(requests, "read_body", make)


def _values(request: Any) -> dict[str, Any]:
    try:
        found = json.loads(request._request.body or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _lenient(true: Any, asked: tuple[Any, Any], is_let_in: Any) -> Any:
    """The form with its amounts as they are, where they are of the kind that is let in."""
    request, form = asked
    try:
        return true(request, form)
    except Refused:
        values = _values(request)
        strange = {name for name in form.amounts & values.keys() if is_let_in(values[name])}
        if not strange:
            raise
        ordinary = {name: 1 if name in strange else value for name, value in values.items()}
        try:
            made = msgspec.convert(ordinary, form)
        except msgspec.ValidationError:
            made = None
        if made is None:
            raise
        whole = {name: values[name] for name in strange if isinstance(values[name], int)}
        return msgspec.structs.replace(made, **whole)


def _is_negative(value: Any) -> bool:
    return isinstance(value, int) and value < 0


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def seat_from_the_body() -> None:
    """Who moves is whoever is to move, not who asks."""

    def make(true: Any) -> Any:
        def submit_move(command: moves.MoveCommand, receipt: Any) -> Any:
            table = selectors.see_now(UUID(str(command.table))).table
            if table.to_act is not None:
                player = table.place(table.to_act).player
                command = replace(command, player=player, actor=f"player:{player}")
            return true(command, receipt)

        return submit_move

    instead(moves, "submit_move", make)


PLANTS = (
    Plant(9, "D8", "negative amount accepted", ("inputs",), put=negative_amounts),
    Plant(10, "D13", "NaN parsed", ("inputs",), put=nan_is_a_number),
    Plant(25, "E10", "seat taken from the body", ("authz",), put=seat_from_the_body),
    Plant(
        40,
        "K4",
        "writable field outside the allow-list",
        ("inputs",),
        put=unknown_fields_are_passed_over,
    ),
)
