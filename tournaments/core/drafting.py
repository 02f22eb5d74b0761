"""From a draft to open registration: what each command appends, or why it is refused."""

from collections.abc import Mapping

from eventstore.core.refusal import Refusal
from tournaments.core import events, lot
from tournaments.core.events.entry import Trigger
from tournaments.core.lifecycle import Status, refusal
from tournaments.core.options import Site, from_template, game_rules, resolve, structure_hash
from tournaments.core.state import Tournament

Decision = tuple[events.Event, ...] | Refusal


def draft(
    overrides: Mapping[str, object],
    *,
    organiser: str,
    name_ref: str,
    template: str | None,
    site: Site,
) -> Decision:
    """A new tournament with every option set. Refuses with `bad_structure` and all problems."""
    resolved = from_template(template, overrides, site)
    if resolved.problems:
        return Refusal("bad_structure", facts={"problems": list(resolved.problems)})
    drafted = events.TournamentDrafted(
        organiser=organiser, name_ref=name_ref, template=template, options=resolved.options
    )
    return (drafted,)


def edit(state: Tournament, overrides: Mapping[str, object], *, site: Site) -> Decision:
    """Changed options of a draft. Refuses with `rules_frozen` once published, `bad_structure`."""
    if state.status is not Status.DRAFT:
        option = next(iter(overrides), None)
        return Refusal("rules_frozen", facts={"option": option})
    resolved = resolve(state.options, overrides, site)
    if resolved.problems:
        return Refusal("bad_structure", facts={"problems": list(resolved.problems)})
    changed = {
        name: value for name, value in resolved.options.items() if state.options[name] != value
    }
    return (events.OptionsChanged(changed=changed),) if changed else ()


def publish(state: Tournament, *, seed: bytes, site: Site) -> Decision:
    """The rules as they stay, complete game rules among them, and the commitment to the lot.

    Refuses with `wrong_state`, and with `bad_structure` where the site no longer offers what the
    draft asks for.
    """
    refused = refusal(state.status, "publish")
    if refused:
        return refused
    resolved = resolve(state.options, {}, site)
    complete = game_rules(resolved.options)
    if resolved.problems or isinstance(complete, Refusal):
        return Refusal("bad_structure", facts={"problems": list(resolved.problems)})
    options = {**resolved.options, "game_rules": complete}
    published = events.RulesPublished(
        options=options,
        structure_hash=structure_hash(options),
        seed_commit=lot.commitment(seed),
        game_rules_version=int(str(complete["version"])),
    )
    return (published,)


def open_registration(state: Tournament, *, by: Trigger) -> Decision:
    """Entries are taken from now on. Refuses with `wrong_state`."""
    return refusal(state.status, "open_registration") or (events.RegistrationOpened(by=by),)
