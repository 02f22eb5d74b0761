"""Texts of the pages of rules for programs: how moves are written, which options go together."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from games.rules.words.plurals import Text

MOVE_TEXTS: Mapping[str, Text] = MappingProxyType(
    {
        "S": Text(
            "draws from the stock; where it is empty, says that the discard is not wanted (R26)",
            "traukia iš traukimo kaladės; jei ji tuščia, pasako, kad atmestos kortos nenori (R26)",
        ),
        "T": Text("takes the top discard", "ima viršutinę atmestą kortą"),
        "L 7S 8S 9S": Text(
            "lays a spread; without a wild card in any order",
            "išdeda derinį; be pakaitinių kortų – bet kokia tvarka",
        ),
        "L 7S X1 9S": Text(
            "lays a run with a wild card: the low card first, and the place in the list says what "
            "the wild card stands for, here 8S",
            "išdeda seką su pakaitine korta: pirma – žemiausia korta, o vieta sąraše sako, ką "
            "pakaitinė korta pakeičia, čia – 8S",
        ),
        "H 9S m1": Text(
            "adds a card to the spread `m1`, whoever laid it",
            "prideda kortą prie derinio `m1`, kad ir kas jį išdėjo",
        ),
        "H X1 m1 low": Text(
            "says at which end of a run a wild card goes, `low` or `high`; unsaid, the high end, "
            "or the low one where the high is closed",
            "nurodo, kuriame sekos gale dedama pakaitinė korta: `low` – žemame, `high` – aukštame; "
            "nenurodžius – aukštame, o jei ten vietos nėra – žemame",
        ),
        "D 5C": Text("discards, which ends the turn", "atmeta kortą ir baigia ėjimą"),
        "K": Text("knocks", "beldžia"),
        "P QS": Text(
            "slaps the top discard: it goes on the first spread that takes it, and QS is thrown; "
            "who discarded it himself sends `P` alone and throws nothing",
            "pliaukšteli viršutinę atmestą kortą: ji dedama prie pirmo tinkamo derinio, o QS "
            "atmetama; ją atmetęs žaidėjas siunčia vien `P` ir nieko neatmeta",
        ),
    }
)
"""What each move does, by an example of its text."""


class Together(NamedTuple):
    """A value of an option, what it asks of others, and the code of the refusal without it."""

    option: Text
    needs: Text
    code: str


_DIFFERENCE = Text("`settlement` `difference`", "`settlement` `difference`")

TOGETHER: tuple[Together, ...] = (
    Together(
        Text("`joker_value` above 0", "`joker_value` daugiau kaip 0"),
        Text("`jokers` 1 or 2", "`jokers` 1 arba 2"),
        "no_effect",
    ),
    Together(
        Text("`hit_hold_extra` or `hit_hold_self`", "`hit_hold_extra` arba `hit_hold_self`"),
        Text("`hit_hold_first` 1 or more", "`hit_hold_first` ne mažiau kaip 1"),
        "no_effect",
    ),
    Together(
        Text("`caught_bonus_from` `others_only`", "`caught_bonus_from` `others_only`"),
        Text(
            "`caught_rule` `seed` and `settlement` `fixed`",
            "`caught_rule` `seed` ir `settlement` `fixed`",
        ),
        "no_effect",
    ),
    Together(
        Text("`stockout_tie` `split` or `no_payment`", "`stockout_tie` `split` arba `no_payment`"),
        Text("`on_empty_stock` `end` or `reshuffle`", "`on_empty_stock` `end` arba `reshuffle`"),
        "no_effect",
    ),
    Together(_DIFFERENCE, Text("`caught_rule` `seed`", "`caught_rule` `seed`"), "no_effect"),
    Together(
        _DIFFERENCE,
        Text(
            "a `difference_cap`, and `stake_mode` `pay_each`",
            "nurodytas `difference_cap` ir `stake_mode` `pay_each`",
        ),
        "conflict",
    ),
    Together(Text("`difference_cap`", "`difference_cap`"), _DIFFERENCE, "conflict"),
    Together(
        Text("`allow_return_discard`", "`allow_return_discard`"),
        Text("`must_use_discard` `false`", "`must_use_discard` `false`"),
        "conflict",
    ),
    Together(
        Text("`slap`", "`slap`"),
        Text(
            "a table of no tournament, with the clock `turbo` or `normal`; told at the opening, "
            "for `validate` knows no clock",
            "ne turnyro stalas, kurio laikrodis `turbo` arba `normal`; pasakoma atidarant stalą, "
            "nes `validate` laikrodžio nežino",
        ),
        "conflict",
    ),
    Together(
        Text("`max_players`", "`max_players`"),
        Text(
            "`seats` not above it; left out it is 3, or `seats` where that is more",
            "`seats` ne daugiau už jį; nenurodytas jis lygus 3 arba `seats`, jei šis didesnis",
        ),
        "too_many_players",
    ),
    Together(
        Text("`max_players` and `hand_size`", "`max_players` ir `hand_size`"),
        Text(
            "a pack for all hands, the upcard and one more card for each player",
            "kaladė, kurios užtenka visų rankoms, atverčiamai kortai ir dar po kortą kiekvienam",
        ),
        "deck_too_small",
    ),
)
"""Options that are refused alone or with one another, in the order of the pages."""
