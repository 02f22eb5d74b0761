"""Sentences that explain the result of a hand, in both languages, by the keys of statements.

`{name:forms}` is a number with its noun (`plurals.py`). Full stop and rule numbers are added later.
Names of players stay in the nominative, and no Lithuanian word shows anybody's gender.
"""

from collections.abc import Mapping
from types import MappingProxyType

from games.rules.words.plurals import Text

SEAT = Text("Seat {seat}", "Nr. {seat}")
"""A player without a name."""

STATEMENTS: Mapping[str, Text] = MappingProxyType(
    {
        "initial_tonk": Text(
            "{seat} was dealt a total of {total}: a tonk, and the hand is not played",
            "{seat} gavo kortų, kurių suma {total}: tonkas, partija nežaidžiama",
        ),
        "initial_spread": Text(
            "All cards dealt to {seat} are one spread, and the hand is not played",
            "{seat} gavo kortų, kurios visos sudaro vieną derinį; partija nežaidžiama",
        ),
        "initial_low": Text(
            "{seat} was dealt a total of {total}, which is {max} or less; the hand is not played",
            "{seat} gavo kortų, kurių suma {total}, taigi ne didesnė kaip {max}; partija "
            "nežaidžiama",
        ),
        "claims_beaten": Text(
            "It beats what was dealt to {claims}", "Ši ranka nugali kitas: {claims}"
        ),
        "claims_draw": Text(
            "Hands that win before play were dealt to {claims}: a draw, nobody pays",
            "Rankas, laiminčias prieš žaidimą, gavo {claims}: lygiosios, niekas nemoka",
        ),
        "claims_equal": Text(
            "The best hands before play are equal, those of {claims}: a draw, nobody pays",
            "Geriausios rankos prieš žaidimą lygios, jas gavo {claims}: lygiosios, niekas nemoka",
        ),
        "tonk_out": Text("{seat} went out without a discard", "{seat} išėjo be atmetimo"),
        "tonk_out_new_spread": Text(
            "{seat} went out without a discard, with a new spread in that turn",
            "{seat} išėjo be atmetimo ir tą ėjimą išdėjo naują derinį",
        ),
        "tonk_out_hits_only": Text(
            "{seat} went out without a discard, by added cards alone",
            "{seat} išėjo be atmetimo ir tą ėjimą tik pridėjo kortų",
        ),
        "discard_out": Text(
            "{seat} went out by discarding the last card",
            "{seat} išėjo: atmetė paskutinę kortą",
        ),
        "knock": Text(
            "{seat} knocked with {total:point|points}",
            "{seat} pabeldė; rankoje – {total:taškas|taškai|taškų}",
        ),
        "knock_wins": Text(
            "{seat} has the lowest total, so the knock wins",
            "{seat} turi mažiausią sumą, todėl beldimas laimėtas",
        ),
        "caught": Text("{seat} was caught by {catchers}", "Žaidėją {seat} sugavo: {catchers}"),
        "caught_tie": Text(
            "{seat} was caught by {catchers}; a tie counts against the knocker",
            "Žaidėją {seat} sugavo: {catchers}; lygi suma – pabeldusio žaidėjo nenaudai",
        ),
        "tie_for_knocker": Text(
            "A tie counts for the knocker: {ties}",
            "Lygi suma – pabeldusio žaidėjo naudai: {ties}",
        ),
        "stock_out": Text(
            "{seat} asked for the empty stock, so the play ended",
            "{seat} norėjo traukti iš tuščios traukimo kaladės, todėl žaidimas baigėsi",
        ),
        "lowest": Text(
            "{seat} has the lowest total, {total}", "Mažiausią sumą turi {seat}: {total}"
        ),
        "lowest_tie_each_paid": Text(
            "{lowest} tie for the lowest total; each is paid in full",
            "Mažiausios sumos lygios: {lowest}; kiekvienam mokama visa",
        ),
        "lowest_tie_split": Text(
            "{lowest} tie for the lowest total; they share one payment of each other player",
            "Mažiausios sumos lygios: {lowest}; kiekvieno kito žaidėjo mokėjimas dalijamas",
        ),
        "lowest_tie_no_payment": Text(
            "{lowest} tie for the lowest total, so nobody pays",
            "Mažiausios sumos lygios: {lowest}; niekas nemoka",
        ),
        "all_tie": Text(
            "All totals are equal, so nobody pays", "Visų sumos lygios, todėl niekas nemoka"
        ),
        "void": Text(
            "{seat} asked for the empty stock, so the hand is void: nobody pays",
            "{seat} norėjo traukti iš tuščios traukimo kaladės, todėl partija anuliuota: niekas "
            "nemoka",
        ),
        "void_from_outside": Text(
            "The hand was declared void: nobody pays", "Partija anuliuota: niekas nemoka"
        ),
        "void_key_lost": Text(
            "The key that kept the deck secret was lost, so the hand is void: nobody pays, and "
            "nobody can check its deal",
            "Prarastas kaladės paslaptį saugojęs raktas, todėl partija anuliuota: niekas nemoka, o "
            "jos dalijimo patikrinti negalima",
        ),
        "holds": Text(
            "{seat} holds {total:point|points}: {cards}",
            "{seat} turi {total:tašką|taškus|taškų}: {cards}",
        ),
        "holds_deadwood": Text(
            "{seat} holds {total:point|points} outside spreads: {cards}",
            "{seat} turi {total:tašką|taškus|taškų} ne deriniuose: {cards}",
        ),
        "holds_nothing": Text("{seat} holds no cards", "{seat} kortų nebeturi"),
        "payment": Text(
            "{payer} pays {receiver} {sum}: {why}",
            "{payer} sumoka žaidėjui {receiver} {sum}: {why}",
        ),
        "debt": Text(
            "{payer} owes {receiver} {sum}: {why}",
            "{payer} turi sumokėti žaidėjui {receiver} {sum}: {why}",
        ),
        "nothing_owed": Text(
            "Nobody has a point to pay for", "Niekas neturi taškų, už kuriuos reikėtų mokėti"
        ),
        "paid_less": Text(
            "{payer} could pay {receiver} only {amount} of {owed}",
            "{payer} turėjo sumokėti žaidėjui {receiver} {owed}, bet žetonų užteko tik {amount}",
        ),
        "won": Text("{seat} wins {sum} in all", "{seat} iš viso laimi {sum}"),
        "lost": Text("{seat} loses {sum} in all", "{seat} iš viso pralaimi {sum}"),
        "even": Text("{seat} neither wins nor loses", "{seat} nei laimi, nei pralaimi"),
        "rake": Text(
            "The house takes {amount} of what {seat} won",
            "Iš to, ką laimi {seat}, operatorius ima {amount}",
        ),
        "next_dealer": Text("{seat} deals next", "Kitą partiją dalija {seat}"),
    }
)

REASONS: Mapping[str, Text] = MappingProxyType(
    {
        "initial_tonk": Text("for the dealt total", "už išdalytų kortų sumą"),
        "initial_spread": Text("for the dealt spread", "už išdalytą derinį"),
        "initial_low": Text(
            "for a dealt total of {max} or less",
            "už išdalytų kortų sumą, ne didesnę kaip {max}",
        ),
        "tonk_out": Text(
            "double for going out without a discard", "dvigubai, nes išeita be atmetimo"
        ),
        "tonk_out_new_spread": Text(
            "double for going out with a new spread and without a discard",
            "dvigubai, nes išeita be atmetimo ir su nauju deriniu",
        ),
        "tonk_out_hits_only": Text(
            "single for going out by added cards alone",
            "viengubai, nes išeita tik pridėjus kortų",
        ),
        "discard_out": Text(
            "for going out by the last discard", "nes išeita atmetus paskutinę kortą"
        ),
        "knock_win": Text("for the knock that won", "už laimėtą beldimą"),
        "knock_win_low": Text(
            "for a knock won with {max} or less",
            "už beldimą, laimėtą turint ne daugiau kaip {max}",
        ),
        "double_lower": Text(
            "double, because {receiver} holds less than the knocker",
            "dvigubai, nes {receiver} turi mažiau už pabeldusį žaidėją",
        ),
        "double_equal": Text(
            "double, because {receiver} holds as much as the knocker",
            "dvigubai, nes {receiver} turi tiek pat, kiek pabeldęs žaidėjas",
        ),
        "single_lower": Text(
            "single, because {receiver} holds less than the knocker",
            "viengubai, nes {receiver} turi mažiau už pabeldusį žaidėją",
        ),
        "single_equal": Text(
            "single, because {receiver} holds as much as the knocker",
            "viengubai, nes {receiver} turi tiek pat, kiek pabeldęs žaidėjas",
        ),
        "lowest": Text("single for the lowest total", "viengubai už mažiausią sumą"),
        "lowest_tied": Text(
            "single for the lowest total; tied lowest are each paid",
            "viengubai už mažiausią sumą; jei mažiausios sumos lygios, mokama kiekvienam",
        ),
        "double_lowest": Text(
            "double from the knocker for the lowest total",
            "pabeldęs žaidėjas už mažiausią sumą moka dvigubai",
        ),
        "double_lowest_tied": Text(
            "double from the knocker for the lowest total; tied lowest are each paid",
            "pabeldęs žaidėjas už mažiausią sumą moka dvigubai; jei mažiausios sumos lygios, "
            "mokama kiekvienam",
        ),
        "pays_table": Text(
            "one stake for each player but the knocker, to the lowest total",
            "po statymą už kiekvieną žaidėją, išskyrus pabeldusį; tai atitenka mažiausiai sumai",
        ),
        "pays_table_shared": Text(
            "a share of one stake for each player but the knocker, to the tied lowest totals",
            "dalis sumos, kurią sudaro po statymą už kiekvieną žaidėją, išskyrus pabeldusį; "
            "lygios mažiausios sumos dalijasi",
        ),
        "twice_difference": Text(
            "twice the difference to the lowest total, at least 1 point",
            "dvigubas skirtumas iki mažiausios sumos, bet ne mažiau kaip 1 taškas",
        ),
        "twice_difference_tied": Text(
            "twice the difference to the lowest total, at least 1 point; tied lowest are each paid",
            "dvigubas skirtumas iki mažiausios sumos, bet ne mažiau kaip 1 taškas; jei mažiausios "
            "sumos lygios, mokama kiekvienam",
        ),
        "stock_lowest": Text(
            "for the lowest total at the end of the stock",
            "už mažiausią sumą išsekus traukimo kaladei",
        ),
        "stock_tied": Text(
            "for a tied lowest total, paid in full", "už lygią mažiausią sumą, mokama visa"
        ),
        "stock_shared": Text("a share for a tied lowest total", "dalis už lygią mažiausią sumą"),
    }
)
"""Why a payment is made."""

PHRASES: Mapping[str, Text] = MappingProxyType(
    {
        "stakes": Text("{stakes:stake|stakes}", "{stakes:statymas|statymai|statymų}"),
        "points": Text("{points:point|points}", "{points:taškas|taškai|taškų}"),
        "points_capped": Text(
            "{points} of {points_in_all:point|points}",
            "{points} iš {points_in_all:taško|taškų|taškų}",
        ),
        "times_points": Text(
            "{multiplier} times {points:point|points}",
            "{multiplier} kartus po {points:tašką|taškus|taškų}",
        ),
        "times_points_capped": Text(
            "{multiplier} times {points} of {points_in_all:point|points}",
            "{multiplier} kartus po {points} iš {points_in_all:taško|taškų|taškų}",
        ),
        "points_of": Text("{total:point|points}", "{total:taškas|taškai|taškų}"),
        "initial_tonk": Text("a total of {total}", "suma {total}"),
        "initial_spread": Text(
            "one spread of {total:point|points}", "vienas derinys, {total:taškas|taškai|taškų}"
        ),
        "initial_low": Text("a low total of {total}", "maža suma {total}"),
        "seat_total": Text("{seat} with {what}", "{seat} – {what}"),
    }
)
"""Parts of sentences."""
