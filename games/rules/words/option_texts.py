"""Each option in one sentence, in both languages, with its number (`rules.md` section 4).

Sentences about a flag say what holds when it is set.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from games.rules.words.plurals import Text


class OptionText(NamedTuple):
    """An option for its readers: the number of the rule that it changes, and what it does."""

    rule: str
    text: Text


_CARDS: Mapping[str, OptionText] = MappingProxyType(
    {
        "max_players": OptionText("V1", Text("Seats of the table.", "Vietų prie stalo skaičius.")),
        "hand_size": OptionText(
            "V2",
            Text("Cards dealt to each player.", "Kiekvienam žaidėjui dalijamų kortų skaičius."),
        ),
        "deck": OptionText(
            "V2",
            Text(
                "Cards of the pack; a pack of 40 has no eights, nines and tens.",
                "Kortų skaičius kaladėje; 40 kortų kaladė yra be aštuonakių, devynakių ir "
                "dešimtakių.",
            ),
        ),
        "face_values": OptionText(
            "V3", Text("Points of jack, queen and king.", "Valeto, damos ir karaliaus taškai.")
        ),
        "jokers": OptionText(
            "V4",
            Text(
                "Jokers in the pack; each is a wild card.",
                "Džokerių skaičius; kiekvienas jų – pakaitinė korta.",
            ),
        ),
        "joker_value": OptionText(
            "V4", Text("Points of a joker held in the hand.", "Rankoje likusio džokerio taškai.")
        ),
        "deuces_wild": OptionText(
            "V4", Text("All deuces are wild cards.", "Visos dviakės – pakaitinės kortos.")
        ),
    }
)

_BEFORE_PLAY: Mapping[str, OptionText] = MappingProxyType(
    {
        "initial_tonk_counts": OptionText(
            "V5",
            Text(
                "Dealt totals that win before play; null is 49 and 50 where five cards are dealt "
                "and face cards count 10, otherwise none.",
                "Išdalytų kortų sumos, laiminčios prieš žaidimą; null – 49 ir 50, kai dalijamos "
                "penkios kortos ir figūros vertos 10 taškų, kitaip – jokios.",
            ),
        ),
        "initial_tonk_multiplier": OptionText(
            "V5",
            Text(
                "Stakes that each other player pays for a dealt total or a dealt spread.",
                "Kiek statymų kiekvienas kitas žaidėjas sumoka už išdalytų kortų sumą ar išdalytą "
                "derinį.",
            ),
        ),
        "initial_tie": OptionText(
            "V5",
            Text(
                "Of two hands that win before play: draw, nobody pays; higher_wins, the better one "
                "wins.",
                "Kai prieš žaidimą laimi kelios rankos: draw – lygiosios, niekas nemoka; "
                "higher_wins – laimi geresnė.",
            ),
        ),
        "initial_low": OptionText(
            "V6",
            Text(
                "Dealt totals that win by being low: each tier is the greatest total and the "
                "stakes paid; the first that holds counts.",
                "Mažos išdalytų kortų sumos, laiminčios prieš žaidimą: kiekviena pakopa – "
                "didžiausia suma ir mokami statymai; galioja pirmoji tinkama.",
            ),
        ),
        "drop_low": OptionText(
            "V6",
            Text(
                "What a knock won with a low total pays: each tier is the greatest total and the "
                "stakes paid; the first that holds counts.",
                "Kiek mokama už beldimą, laimėtą su maža suma: kiekviena pakopa – didžiausia suma "
                "ir mokami statymai; galioja pirmoji tinkama.",
            ),
        ),
        "initial_spread": OptionText(
            "V6",
            Text(
                "A dealt hand that is one spread wins before play.",
                "Išdalyta ranka, kurios visos kortos sudaro vieną derinį, laimi prieš žaidimą.",
            ),
        ),
    }
)

_KNOCKS: Mapping[str, OptionText] = MappingProxyType(
    {
        "hit_hold_first": OptionText(
            "V7",
            Text(
                "Turns during which a player may not knock after somebody has hit his spread.",
                "Kiek ėjimų žaidėjas negali belsti, kai kas nors prideda kortą prie jo derinio.",
            ),
        ),
        "hit_hold_extra": OptionText(
            "V7",
            Text(
                "Turns that each further hit adds to a hold.",
                "Keliais ėjimais sulaikymą pailgina kiekvienas kitas pridėjimas.",
            ),
        ),
        "hit_hold_self": OptionText(
            "V7",
            Text(
                "Hits on one's own spread hold as well.",
                "Sulaiko ir pridėjimas prie savo paties derinio.",
            ),
        ),
        "spread_hold": OptionText(
            "V7",
            Text(
                "Turns during which one may not knock after laying a spread.",
                "Kiek ėjimų negalima belsti išdėjus derinį.",
            ),
        ),
        "knock_when": OptionText(
            "V8",
            Text(
                "When one may knock: turn_start, before drawing; own_turn, at any moment of one's "
                "turn.",
                "Kada galima belsti: turn_start – prieš traukiant kortą; own_turn – bet kada savo "
                "ėjimo metu.",
            ),
        ),
        "knock_from_round": OptionText(
            "V8",
            Text(
                "The first of a player's own turns in which he may knock.",
                "Kelintuoju savo ėjimu žaidėjas jau gali belsti.",
            ),
        ),
        "knock_max_count": OptionText(
            "V8",
            Text(
                "The greatest total with which one may knock; null is any.",
                "Didžiausia suma, su kuria galima belsti; null – bet kokia.",
            ),
        ),
        "caught_rule": OptionText(
            "V9",
            Text(
                "What a caught knock costs: seed, the knocker pays 2 stakes to each who caught "
                "him, and the lowest gets 1 from everybody; low_only, the lowest gets 2 from the "
                "knocker and 1 from each other player; knocker_pays_table, the knocker pays 1 for "
                "each player to the lowest; single_each, he pays 1 to each who caught him.",
                "Ką kainuoja sugautas beldimas: seed – pabeldęs žaidėjas moka po 2 statymus "
                "kiekvienam sugavusiam, o mažiausia suma gauna po 1 iš visų; low_only – mažiausia "
                "suma gauna 2 iš pabeldusio ir po 1 iš kitų; knocker_pays_table – pabeldęs moka po "
                "1 už kiekvieną žaidėją mažiausiai sumai; single_each – po 1 kiekvienam "
                "sugavusiam.",
            ),
        ),
        "caught_bonus_from": OptionText(
            "V9",
            Text(
                "Who pays the lowest total its single stake after a caught knock: all, the knocker "
                "too; others_only, not the knocker.",
                "Kas po sugauto beldimo moka statymą mažiausiai sumai: all – ir pabeldęs žaidėjas; "
                "others_only – visi, išskyrus pabeldusį.",
            ),
        ),
        "knock_tie": OptionText(
            "V10",
            Text(
                "Whom a total equal to the knocker's helps: caught, the other player; "
                "knocker_wins, the knocker.",
                "Kieno naudai suma, lygi pabeldusio žaidėjo sumai: caught – kito žaidėjo; "
                "knocker_wins – pabeldusio.",
            ),
        ),
        "count_method": OptionText(
            "V11",
            Text(
                "What counts in a hand: all_held, every card; deadwood, cards outside spreads.",
                "Kas rankoje skaičiuojama: all_held – visos kortos; deadwood – kortos, kurių nėra "
                "deriniuose.",
            ),
        ),
    }
)

_TURN: Mapping[str, OptionText] = MappingProxyType(
    {
        "must_use_discard": OptionText(
            "V12",
            Text(
                "The discard may be taken only by who lays it in the same turn.",
                "Atmestą kortą gali imti tik tas, kas ją tą patį ėjimą išdeda.",
            ),
        ),
        "allow_return_discard": OptionText(
            "V12",
            Text(
                "The discard just taken may be discarded again.",
                "Ką tik paimtą atmestą kortą galima vėl atmesti.",
            ),
        ),
        "hits_per_turn": OptionText(
            "V12",
            Text(
                "The most cards added to spreads in one turn; null is no limit.",
                "Kiek daugiausia kortų per ėjimą galima pridėti prie derinių; null – kiek norima.",
            ),
        ),
        "hit_targets": OptionText(
            "V12",
            Text(
                "Spreads that may be hit: all, or runs only.",
                "Prie kurių derinių galima pridėti: all – prie visų; runs_only – tik prie sekų.",
            ),
        ),
        "ace_runs": OptionText(
            "V13",
            Text(
                "Where an ace stands in a run: low, or high_or_low, after the king too.",
                "Kur sekoje gali būti tūzas: low – pradžioje; high_or_low – ir po karaliaus.",
            ),
        ),
    }
)

_MONEY: Mapping[str, OptionText] = MappingProxyType(
    {
        "stockout_tie": OptionText(
            "V14",
            Text(
                "Tied lowest totals when the stock is exhausted: each_paid, each in full; split, "
                "one payment shared; no_payment, nobody pays.",
                "Lygios mažiausios sumos išsekus traukimo kaladei: each_paid – kiekvienam mokama "
                "visa; split – mokėjimas dalijamas; no_payment – niekas nemoka.",
            ),
        ),
        "on_empty_stock": OptionText(
            "V14",
            Text(
                "What asking for the empty stock does: end, the play ends; void, the hand is void; "
                "reshuffle, the discards become a new stock once.",
                "Kas vyksta norint traukti iš tuščios traukimo kaladės: end – žaidimas baigiasi; "
                "void – partija anuliuojama; reshuffle – atmestos kortos vieną kartą permaišomos "
                "į naują traukimo kaladę.",
            ),
        ),
        "settlement": OptionText(
            "V15",
            Text(
                "What is paid: fixed, whole stakes; difference, the stake for each point.",
                "Už ką mokama: fixed – nustatytas statymų skaičius; difference – statymas už "
                "kiekvieną tašką.",
            ),
        ),
        "difference_cap": OptionText(
            "V15",
            Text(
                "The most points of one payment; goes with settlement difference.",
                "Kiek daugiausia taškų skaičiuojama viename mokėjime; tik kai mokama už taškus.",
            ),
        ),
        "stake_mode": OptionText(
            "V15",
            Text(
                "How stakes are shown: pay_each, paid at the end; pot, put into a pot before the "
                "deal. The sums are the same.",
                "Kaip rodomi statymai: pay_each – mokama pabaigoje; pot – įnešama į banką prieš "
                "dalijimą. Sumos tos pačios.",
            ),
        ),
        "slap": OptionText(
            "V16",
            Text(
                "A discard that fits a spread may be slapped by anyone before the next player "
                "acts. Refused at tournament tables, and where a move may take more than 30 "
                "seconds: by the clocks casual and correspondence.",
                "Atmestą kortą, tinkančią prie derinio, bet kas gali pliaukštelėti, kol kitas "
                "žaidėjas dar nepradėjo. Negalima prie turnyro stalų ir ten, kur ėjimui skiriama "
                "daugiau kaip 30 sekundžių: su laikrodžiais casual ir correspondence.",
            ),
        ),
        "redeal_dealer": OptionText(
            "V17",
            Text(
                "Who deals after a draw or a void hand: next, the player to the left; same, the "
                "same dealer.",
                "Kas dalija po lygiųjų ar anuliuotos partijos: next – žaidėjas kairėje; same – tas "
                "pats dalintojas.",
            ),
        ),
        "seat_by_cut": OptionText(
            "V17",
            Text(
                "The players sit in the order of the cards that they cut.",
                "Žaidėjai susėda pagal ištrauktas kortas.",
            ),
        ),
        "discard_turn_cap": OptionText(
            "V17",
            Text(
                "Turns in a row without a card from the stock, after which the discard may not be "
                "taken; null is three for each player.",
                "Po kiek ėjimų iš eilės be kortos iš traukimo kaladės atmestos kortos imti "
                "nebegalima; null – po tris kiekvienam žaidėjui.",
            ),
        ),
        "initial_upcard": OptionText(
            "R35",
            Text(
                "A card is turned up after the deal and starts the discard pile.",
                "Padalijus kortas, viena atverčiama ir pradeda atmestų kortų krūvą.",
            ),
        ),
        "must_spread": OptionText(
            "R36",
            Text(
                "A spread may not be kept in the hand at the discard; books of aces may.",
                "Atmetant kortą rankoje negalima laikyti derinio, išskyrus tūzų rinkinį.",
            ),
        ),
        "tonk_double_requires_new_spread": OptionText(
            "R37",
            Text(
                "Going out without a discard pays double only with a spread laid in that turn.",
                "Išėjus be atmetimo dvigubai mokama tik tada, jei tą ėjimą išdėtas naujas derinys.",
            ),
        ),
    }
)

OPTION_TEXTS: Mapping[str, OptionText] = MappingProxyType(
    {**_CARDS, **_BEFORE_PLAY, **_KNOCKS, **_TURN, **_MONEY}
)
"""Every option, in the order of `rules.md` section 4."""


class PresetText(NamedTuple):
    """A preset for its readers: what it is called, and how it differs from the others."""

    title: Text
    text: Text


PRESET_TEXTS: Mapping[str, PresetText] = MappingProxyType(
    {
        "gamerules": PresetText(
            Text("Game rules", "Pagrindinės taisyklės"),
            Text(
                "The game as it was written down; the other presets change what they say here.",
                "Žaidimas, koks buvo aprašytas; kiti taisyklių variantai keičia tik tai, kas čia "
                "pasakyta.",
            ),
        ),
        "gamerules_strict": PresetText(
            Text("Strict game rules", "Griežtosios taisyklės"),
            Text(
                "No card is turned up, spreads must be laid, and only a new spread doubles a way "
                "out without a discard.",
                "Korta neatverčiama, derinius būtina išdėti, o išėjus be atmetimo dvigubai mokama "
                "tik už naują derinį.",
            ),
        ),
        "classic_app": PresetText(
            Text("Classic app", "Klasikinė programėlė"),
            Text(
                "Only a dealt 50 is a tonk, and a caught knocker does not pay the extra stake of "
                "the lowest total.",
                "Tonkas – tik išdalyta 50 suma, o sugautas žaidėjas papildomo statymo mažiausiai "
                "sumai nemoka.",
            ),
        ),
        "hit_and_hold": PresetText(
            Text("Hit and hold", "Pridėjimas ir sulaikymas"),
            Text(
                "Adding a card to another's spread keeps its owner from knocking.",
                "Pridėjus kortą prie kito žaidėjo derinio, šis kurį laiką negali belsti.",
            ),
        ),
        "house_low": PresetText(
            Text("Low hands", "Mažos rankos"),
            Text(
                "A dealt total of 13 or less wins double before play, and added cards hold the "
                "owner of the spread.",
                "Išdalyta ne didesnė kaip 13 suma laimi dvigubai prieš žaidimą, o pridėtos kortos "
                "sulaiko derinio savininką.",
            ),
        ),
        "deadwood_guide": PresetText(
            Text("Unmatched cards", "Nesuderintos kortos"),
            Text(
                "Spreads that you still hold do not count; only unmatched cards do.",
                "Rankoje likę deriniai neskaičiuojami; skaičiuojamos tik nesuderintos kortos.",
            ),
        ),
    }
)
"""Every preset, in the order of `rules.md` section 4."""
