"""Names of option sets: what a preset stands for, and by which name a set is called."""

from collections.abc import Mapping
from types import MappingProxyType

from eventstore.core.refusal import InvariantBroken
from games.rules import events
from games.rules.options import (
    PRESETS,
    RULES_VERSION,
    RULES_VERSIONS,
    SEATS_MIN,
    Options,
    complete,
    rules_hash,
)


def _complete(name: str) -> Options:
    options = complete(PRESETS[name], SEATS_MIN)
    if not isinstance(options, Options):
        raise InvariantBroken(f"the preset {name} is refused")
    return options


PRESET_OPTIONS: Mapping[str, Options] = MappingProxyType(
    {name: _complete(name) for name in PRESETS}
)
"""The complete set of each preset."""

_RULES: Mapping[str, events.RuleSet] = MappingProxyType(
    {
        rules.hash: rules
        for version in RULES_VERSIONS
        for name, options in PRESET_OPTIONS.items()
        for rules in [
            events.RuleSet(
                preset=name, version=version, hash=rules_hash(options, version), options=options
            )
        ]
    }
)
"""Presets under every version of the rules, by hash."""


def preset_rules(ref: str) -> events.RuleSet | None:
    """The rules of a preset, by its name (under the newest version) or by its hash; else None.

    >>> preset_rules("gamerules").hash[:16], preset_rules("bridge")
    ('5a16301fe30f8bbf', None)
    """
    if ref in PRESET_OPTIONS:
        return _RULES[rules_hash(PRESET_OPTIONS[ref], RULES_VERSION)]
    return _RULES.get(ref)


def reference(fingerprint: str) -> str:
    """What a set is called in addresses: the preset whose newest rules it has, else its hash.

    >>> reference(preset_rules("hit_and_hold").hash), reference("0" * 64)[:4]
    ('hit_and_hold', '0000')
    """
    rules = _RULES.get(fingerprint)
    if rules is None or rules.preset is None or rules.version != RULES_VERSION:
        return fingerprint
    return rules.preset
