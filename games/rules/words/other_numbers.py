"""Numbers that refusals and payments name although the sheet has no line of them.

The sheet says what is done and paid; these lines say what else a number stands for. Where the sheet
has a line of a number, that line is the text of it.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from games.rules.options import Options
from games.rules.words.plurals import Language, Text
from games.rules.words.sheet import Line, Section, Sheet

HEADING = Text("Other numbers", "Kiti numeriai")


def _always(_: Options) -> bool:
    return True


class OtherNumber(NamedTuple):
    """What a number stands for, and for which options it can be named."""

    text: Text
    when: Callable[[Options], bool] = _always


OTHER_NUMBERS: Mapping[str, OtherNumber] = MappingProxyType(
    {
        "R5": OtherNumber(
            Text("A double stake is called a tonk.", "Dvigubas statymas vadinamas tonku.")
        ),
        "R12": OtherNumber(
            Text(
                "You win by having no cards left, or by the lowest total at the end.",
                "Laimi tas, kas nebeturi kortų arba kurio suma pabaigoje mažiausia.",
            )
        ),
        "R17": OtherNumber(
            Text(
                "After the draw you may lay new spreads and add cards to spreads, in any order, "
                "with cards that you hold.",
                "Paėmę kortą galite bet kokia tvarka išdėti naujų derinių ir pridėti prie derinių "
                "kortų, kurias turite rankoje.",
            )
        ),
        "R24": OtherNumber(
            Text(
                "Who has played all cards ends the hand and wins it.",
                "Kas nebeturi kortų, užbaigia partiją ir ją laimi.",
            )
        ),
        "R25": OtherNumber(
            Text(
                "Who has cards left discards; the last card thrown wins as well.",
                "Kas dar turi kortų, vieną atmeta; laimima ir atmetus paskutinę.",
            )
        ),
        "R26": OtherNumber(
            Text(
                "Who asks for the stock when it is empty again ends the play.",
                "Kas nori traukti iš vėl išsekusios traukimo kaladės, užbaigia žaidimą.",
            ),
            lambda o: o.on_empty_stock == "reshuffle",
        ),
        "R27": OtherNumber(
            Text("Out without a discard wins the hand.", "Išėjus be atmetimo partija laimėta.")
        ),
        "R28": OtherNumber(
            Text(
                "Out by discarding the last card wins the hand.",
                "Išėjus atmetus paskutinę kortą partija laimėta.",
            )
        ),
        "R29": OtherNumber(
            Text(
                "After a knock all show their cards and add up what they hold.",
                "Pabeldus visi parodo kortas ir susumuoja, ką turi rankoje.",
            )
        ),
        "R30": OtherNumber(
            Text(
                "The knocker with the lowest total wins the hand.",
                "Pabeldęs žaidėjas, kurio suma mažiausia, laimi partiją.",
            )
        ),
        "R33": OtherNumber(
            Text(
                "If several players beside the knocker tie for the lowest total, each is paid.",
                "Jei mažiausią sumą, neskaitant pabeldusio žaidėjo, turi keli, mokama kiekvienam.",
            ),
            lambda o: o.caught_rule in ("seed", "low_only"),
        ),
        "R34": OtherNumber(
            Text(
                "When the stock has ended the play, the lowest total wins.",
                "Žaidimui pasibaigus dėl išsekusios traukimo kaladės, laimi mažiausia suma.",
            ),
            lambda o: o.on_empty_stock != "void",
        ),
        "D2": OtherNumber(
            Text(
                "A drawn or void hand has a number, pays nothing and is not counted.",
                "Lygiosiomis pasibaigusi ar anuliuota partija turi numerį, bet nieko nekainuoja ir "
                "neskaičiuojama.",
            )
        ),
        "D6": OtherNumber(
            Text(
                "You may not discard the card that you have just taken from the pile.",
                "Ką tik iš krūvos paimtos kortos atmesti negalima.",
            ),
            lambda o: not o.allow_return_discard,
        ),
        "D7": OtherNumber(
            Text(
                "The hand ends the moment a player has no cards left: no discard is owed. After "
                "the end no move is taken.",
                "Partija baigiasi iš karto, kai žaidėjas nebeturi kortų: atmesti nebereikia. Po to "
                "ėjimai nebepriimami.",
            )
        ),
        "D8": OtherNumber(
            Text(
                "Knock before you draw. A knock lays no cards, and nobody adds any after it.",
                "Belskite prieš imdami kortą. Belsdami kortų nededate, o po to jų niekas "
                "nebeprideda.",
            ),
            lambda o: o.knock_when == "turn_start",
        ),
        "D16": OtherNumber(
            Text(
                "A spread that must be laid (R36) keeps you from discarding, not from knocking or "
                "drawing; no card need be added.",
                "Derinys, kurį būtina išdėti (R36), neleidžia atmesti kortos, bet netrukdo belsti "
                "ar imti kortą; pridėti kortų nebūtina.",
            ),
            lambda o: o.must_spread,
        ),
        "D25": OtherNumber(
            Text(
                "Where the card taken from the pile must be laid (V12), it is laid before you "
                "discard or knock; no move may leave it without use.",
                "Jei iš krūvos paimtą kortą būtina išdėti (V12), ji išdedama prieš atmetant ar "
                "beldžiant; negalimas ėjimas, po kurio jos nebebūtų kur dėti.",
            ),
            lambda o: o.must_use_discard,
        ),
        "V16": OtherNumber(
            Text(
                "A discard may not be slapped here.", "Atmestos kortos čia pliaukštelėti negalima."
            ),
            lambda o: not o.slap,
        ),
    }
)
"""In the order in which they are listed."""


def other_numbers(options: Options, found: Sheet) -> Section:
    """The section of all numbers that can be named under these options and have no other line."""
    printed = {line.rule for section in found.sections for line in section.lines}
    lines = [
        _line(number, found.language)
        for number, one in OTHER_NUMBERS.items()
        if number not in printed and one.when(options)
    ]
    return Section("other_numbers", HEADING.of(found.language), tuple(lines))


def _line(number: str, language: Language) -> Line:
    return Line(number, "other_number", OTHER_NUMBERS[number].text.of(language))
