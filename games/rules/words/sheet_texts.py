"""The lines of the rule sheet in both languages (`rules.md` section 11), by their keys.

`{name:forms}` is a number with its noun (`plurals.py`).
"""

from collections.abc import Mapping
from types import MappingProxyType

from games.rules.words.plurals import Text

TITLE = Text("Rule sheet", "Taisyklių lapas")
CHANGED = Text("changed rules", "pakeistos taisyklės")
"""What an option set is called that is no preset."""
HEADINGS: Mapping[str, Text] = MappingProxyType(
    {
        "game": Text("The game", "Žaidimas"),
        "before_play": Text("Before play", "Prieš žaidimą"),
        "turn": Text("The turn", "Ėjimas"),
        "end": Text("The end", "Pabaiga"),
    }
)

_GAME: Mapping[str, Text] = MappingProxyType(
    {
        "players": Text("Players: 2 to {max_players}.", "Žaidėjai: nuo 2 iki {max_players}."),
        "two_players": Text("Players: 2.", "Žaidėjai: 2."),
        "pack_52": Text("One pack of 52 cards.", "Viena 52 kortų kaladė."),
        "pack_40": Text(
            "One pack of 40 cards, without eights, nines and tens; the seven and the jack are "
            "neighbours.",
            "Viena 40 kortų kaladė be aštuonakių, devynakių ir dešimtakių; po septynakės eina "
            "valetas.",
        ),
        "faces_10": Text(
            "Jack, queen and king count 10, the ace 1, other cards their number.",
            "Valetas, dama ir karalius verti 10 taškų, tūzas – 1, kitos kortos – pagal savo "
            "skaičių.",
        ),
        "faces_11_to_13": Text(
            "The jack counts 11, the queen 12, the king 13, the ace 1, other cards their number.",
            "Valetas vertas 11 taškų, dama – 12, karalius – 13, tūzas – 1, kitos kortos – pagal "
            "savo skaičių.",
        ),
        "jokers": Text(
            "{jokers:joker is|jokers are} wild; a joker in the hand counts {joker_value}.",
            "{jokers:džokeris|džokeriai|džokerių} pakeičia bet kurią kortą; likęs rankoje džokeris "
            "vertas {joker_value:taško|taškų|taškų}.",
        ),
        "deuces_wild": Text(
            "Deuces are wild; in the hand they count 2.",
            "Dviakės pakeičia bet kurią kortą; rankoje jos vertos 2 taškų.",
        ),
        "wild_cards": Text(
            "A spread needs two natural cards. A wild card laid keeps its place.",
            "Derinyje turi būti bent dvi tikros kortos. Išdėta pakaitinė korta lieka savo vietoje.",
        ),
        "stake": Text("The stake is {stake}.", "Statymas – {stake}."),
        "stake_agreed": Text(
            "The stake is agreed before play.", "Dėl statymo susitariama prieš žaidimą."
        ),
        "point": Text(
            "One point is worth {stake}. A payment counts at most {difference_cap:point|points}, "
            "before any doubling.",
            "Vienas taškas vertas {stake}. Viename mokėjime skaičiuojama ne daugiau kaip "
            "{difference_cap:taškas|taškai|taškų}, o tada, jei reikia, dvigubinama.",
        ),
        "point_agreed": Text(
            "The worth of a point is agreed before play. A payment counts at most "
            "{difference_cap:point|points}, before any doubling.",
            "Dėl taško vertės susitariama prieš žaidimą. Viename mokėjime skaičiuojama ne daugiau "
            "kaip {difference_cap:taškas|taškai|taškų}, o tada, jei reikia, dvigubinama.",
        ),
        "stakes_are_points": Text(
            "Where this sheet names stakes, it means so many times the points of the line before.",
            "Kur šiame lape minimi statymai, mokama tiek kartų po ankstesnėje eilutėje nurodytus "
            "taškus.",
        ),
        "pot": Text(
            "Each player puts the stake into the pot before the deal.",
            "Prieš dalijimą kiekvienas žaidėjas įneša statymą į banką.",
        ),
        "cut": Text(
            "Each player gets one card; the highest deals first. The ace is low; ties draw again.",
            "Kiekvienas žaidėjas gauna po vieną kortą; pirmas dalija gavęs aukščiausią. Tūzas yra "
            "žemiausias; esant lygybei traukiama iš naujo.",
        ),
        "seat_by_cut": Text(
            "The players sit in the order of their cards.",
            "Žaidėjai susėda pagal ištrauktas kortas, nuo aukščiausios žemyn.",
        ),
        "deal_passes": Text(
            "The deal passes to the left. A newcomer sits at the dealer's right.",
            "Dalijama paeiliui į kairę. Naujas žaidėjas sėdasi dalintojui iš dešinės.",
        ),
        "hand_size": Text(
            "Each player gets {hand_size} cards, one at a time.",
            "Kiekvienas žaidėjas gauna {hand_size:kortą|kortas|kortų}, dalijamas po vieną.",
        ),
        "upcard": Text(
            "The next card is turned up and starts the discard pile. The rest is the stock.",
            "Kita korta atverčiama ir pradeda atmestų kortų krūvą. Likusios kortos – traukimo "
            "kaladė.",
        ),
        "no_upcard": Text(
            "No card is turned up. The first player draws from the stock.",
            "Korta neatverčiama. Pirmas žaidėjas traukia iš kaladės.",
        ),
    }
)

_BEFORE_PLAY: Mapping[str, Text] = MappingProxyType(
    {
        "initial_tonk": Text(
            "A dealt total of {counts} is a tonk: it is shown, the hand is not played, and each "
            "other player pays {initial_tonk_multiplier:stake|stakes}.",
            "Jei išdalytų kortų suma yra {counts}, tai tonkas: kortos parodomos, partija "
            "nežaidžiama, o kiekvienas kitas žaidėjas sumoka "
            "{initial_tonk_multiplier:statymą|statymus|statymų}.",
        ),
        "initial_spread": Text(
            "A dealt hand that is one spread wins {initial_tonk_multiplier:stake|stakes} from "
            "each.",
            "Jei visos išdalytos kortos sudaro vieną derinį, kiekvienas kitas žaidėjas sumoka "
            "{initial_tonk_multiplier:statymą|statymus|statymų}.",
        ),
        "initial_low": Text(
            "A dealt total of {max} or less wins {multiplier:stake|stakes} from each.",
            "Jei išdalytų kortų suma ne didesnė kaip {max}, kiekvienas kitas žaidėjas sumoka "
            "{multiplier:statymą|statymus|statymų}.",
        ),
        "claims_draw": Text(
            "Two such hands are a draw: nobody pays.",
            "Jei tokių rankų dvi ar daugiau – lygiosios: niekas nemoka.",
        ),
        "higher_claim_wins": Text(
            "Of two such hands the better one wins: totals before spreads before low hands. Equal "
            "ones are a draw.",
            "Iš kelių tokių rankų laimi geresnė: pirmiausia sumos, tada deriniai, tada mažos "
            "rankos. Lygios rankos – lygiosios.",
        ),
        "same_dealer": Text(
            "After a draw or a void hand the same dealer deals again.",
            "Po lygiųjų ar anuliuotos partijos dalija tas pats dalintojas.",
        ),
        "totals_in_play": Text(
            "During play these totals mean nothing.",
            "Žaidimo metu šios sumos nieko nereiškia.",
        ),
    }
)

_TURN: Mapping[str, Text] = MappingProxyType(
    {
        "starts": Text(
            "The player at the dealer's left starts; turns go clockwise.",
            "Pradeda žaidėjas dalintojo kairėje; žaidžiama pagal laikrodžio rodyklę.",
        ),
        "knock_at_start": Text(
            "At the start of your turn you may knock: all show their hands and the play ends.",
            "Ėjimo pradžioje galite belsti: visi parodo kortas ir žaidimas baigiasi.",
        ),
        "knock_in_turn": Text(
            "You may knock at any moment of your turn: all show their hands and the play ends.",
            "Belsti galite bet kada savo ėjimo metu: visi parodo kortas ir žaidimas baigiasi.",
        ),
        "knock_from_round": Text(
            "You may not knock before your turn {knock_from_round}.",
            "Belsti galima ne anksčiau kaip {knock_ordinal} savo ėjimu.",
        ),
        "knock_limit": Text(
            "You may knock with {knock_max_count:point|points} or fewer.",
            "Belsti galima turint ne daugiau kaip {knock_max_count:tašką|taškus|taškų}.",
        ),
        "draw": Text(
            "Otherwise take the top card of the stock or the top discard.",
            "Arba imkite viršutinę traukimo kaladės kortą arba viršutinę atmestą kortą.",
        ),
        "must_use_discard": Text(
            "You may take the discard only if you lay it in this turn.",
            "Atmestą kortą galima imti tik tada, jei tą patį ėjimą ją išdėsite.",
        ),
        "spread": Text(
            "A spread is three or more cards. What you have laid no longer counts.",
            "Derinį sudaro trys ar daugiau kortų. Išdėtos kortos neskaičiuojamos.",
        ),
        "book": Text(
            "A book is three or four cards of one rank.",
            "Rinkinys – trys ar keturios tos pačios vertės kortos.",
        ),
        "run": Text(
            "A run is three or more cards of one suit in order; the ace is low.",
            "Seka – trys ar daugiau vienos rūšies kortų iš eilės; tūzas – žemiausia korta.",
        ),
        "run_high_aces": Text(
            "A run is three or more cards of one suit in order; the ace is low or high, never in "
            "the middle.",
            "Seka – trys ar daugiau vienos rūšies kortų iš eilės; tūzas gali būti žemiausias arba "
            "aukščiausias, bet ne viduryje.",
        ),
        "hit": Text(
            "Before you discard you may add cards to any spread on the table.",
            "Prieš atmesdami galite pridėti kortų prie bet kurio išdėto derinio.",
        ),
        "hit_runs_only": Text(
            "Cards may be added to runs only.", "Pridėti kortų galima tik prie sekų."
        ),
        "hits_per_turn": Text(
            "At most {hits_per_turn:card|cards} may be added in a turn.",
            "Per ėjimą galima pridėti ne daugiau kaip {hits_per_turn:kortą|kortas|kortų}.",
        ),
        "must_spread": Text(
            "You may not keep a spread in your hand when you discard; three or four aces are the "
            "exception.",
            "Atmetant kortą rankoje negalima laikyti derinio; išimtis – trys ar keturi tūzai.",
        ),
        "discard": Text(
            "End your turn by discarding one card face up.",
            "Ėjimą baikite atmesdami vieną atverstą kortą.",
        ),
        "no_return": Text(
            "You may not discard the card that you have just taken from the pile, unless it is "
            "your last.",
            "Ką tik iš krūvos paimtos kortos atmesti negalima, nebent ji paskutinė.",
        ),
        "return_discard": Text(
            "You may discard the card that you have just taken.",
            "Ką tik paimtą kortą galima vėl atmesti.",
        ),
        "pile": Text("Only the top discard can be seen.", "Matoma tik viršutinė atmesta korta."),
        "hit_hold": Text(
            "Adding to another's spread keeps its owner from knocking for "
            "{hit_hold_first:turn|turns}; {further_hits}.",
            "Pridėjus kortą prie kito žaidėjo derinio, šis negali belsti "
            "{hit_hold_first:ėjimą|ėjimus|ėjimų}; {further_hits}.",
        ),
        "hit_hold_self": Text(
            "This holds for your own spreads too.", "Tai galioja ir jūsų pačių deriniams."
        ),
        "spread_hold": Text(
            "After laying a spread you may not knock for {spread_hold:turn|turns}.",
            "Išdėję derinį negalite belsti {spread_hold:ėjimą|ėjimus|ėjimų}.",
        ),
        "slap": Text(
            "A discard that fits a spread may be slapped by anyone before the next player acts: "
            "it goes there, and the slapper throws one card.",
            "Atmestą kortą, tinkančią prie derinio, bet kas gali pliaukštelėti, kol kitas žaidėjas "
            "dar nepradėjo: ji dedama prie derinio, o pliaukštelėjęs žaidėjas atmeta vieną kortą.",
        ),
        "discard_turn_cap": Text(
            "After {discard_turn_cap:turn|turns} in a row without a card from the stock, the "
            "discard may not be taken.",
            "Po {discard_turn_cap:ėjimo|ėjimų|ėjimų} iš eilės be kortos iš traukimo kaladės "
            "atmestos kortos imti nebegalima.",
        ),
        "discard_turn_cap_by_seat": Text(
            "After {turns_per_seat} turns in a row for each player without a card from the stock"
            "{at_full_table}, the discard may not be taken.",
            "Kai iš eilės praeina po {turns_per_seat} kiekvieno žaidėjo ėjimus be kortos iš "
            "traukimo kaladės{at_full_table}, atmestos kortos imti nebegalima.",
        ),
        "time_out": Text(
            "If your time runs out, a card is drawn for you and thrown. You never knock by "
            "time-out.",
            "Pasibaigus laikui, už jus ištraukiama ir atmetama korta. Pasibaigus laikui niekada "
            "nebeldžiama.",
        ),
    }
)

_END: Mapping[str, Text] = MappingProxyType(
    {
        "tonk_out": Text(
            "Out without a discard: each other player pays 2 stakes.",
            "Išėjus be atmetimo, kiekvienas kitas žaidėjas sumoka 2 statymus.",
        ),
        "tonk_out_new_spread": Text(
            "Out without a discard: 2 stakes from each if you laid a new spread in that turn, 1 if "
            "you only added cards.",
            "Išėjus be atmetimo: po 2 statymus, jei tą ėjimą išdėjote naują derinį, po 1 – jei tik "
            "pridėjote kortų.",
        ),
        "discard_out": Text(
            "Out by discarding the last card: 1 stake from each.",
            "Išėjus atmetus paskutinę kortą: po 1 statymą iš kiekvieno.",
        ),
        "all_held": Text(
            "All cards in your hand count, spreads not laid too.",
            "Skaičiuojamos visos rankoje esančios kortos, taip pat ir neišdėti deriniai.",
        ),
        "deadwood": Text(
            "Spreads in your hand do not count.",
            "Rankoje esantys deriniai neskaičiuojami.",
        ),
        "knock_win": Text(
            "The knocker has the lowest total: 1 stake from each.",
            "Pabeldusio žaidėjo suma mažiausia: po 1 statymą iš kiekvieno.",
        ),
        "drop_low": Text(
            "With {max} or less it is {multiplier:stake|stakes}.",
            "Jei suma ne didesnė kaip {max}, mokama po {multiplier:statymą|statymus|statymų}.",
        ),
        "drop_low_difference": Text(
            "A knock won with {max} or less: {multiplier:stake|stakes} from each.",
            "Jei pabeldusio žaidėjo suma mažiausia ir ne didesnė kaip {max}, mokama po "
            "{multiplier:statymą|statymus|statymų}.",
        ),
        "tie_catches": Text(
            "A tie counts against the knocker.",
            "Lygi suma – pabeldusio žaidėjo nenaudai.",
        ),
        "tie_for_knocker": Text(
            "A tie counts for the knocker.", "Lygi suma – pabeldusio žaidėjo naudai."
        ),
        "caught": Text(
            "Caught: the knocker pays 2 stakes to each player with {catching} total.",
            "Sugautas pabeldęs žaidėjas sumoka po 2 statymus kiekvienam, kurio suma {catching}.",
        ),
        "bonus_from_all": Text(
            "In addition the lowest gets 1 stake from every other player, the knocker too. Tied "
            "lowest are each paid.",
            "Be to, mažiausią sumą turintis žaidėjas gauna po 1 statymą iš visų kitų, taip pat ir "
            "iš pabeldusio. Jei mažiausios sumos lygios, mokama kiekvienam.",
        ),
        "bonus_from_others": Text(
            "In addition the lowest gets 1 stake from every other player except the knocker. Tied "
            "lowest are each paid.",
            "Be to, mažiausią sumą turintis žaidėjas gauna po 1 statymą iš visų kitų, išskyrus "
            "pabeldusį. Jei mažiausios sumos lygios, mokama kiekvienam.",
        ),
        "caught_low_only": Text(
            "Caught: the lowest gets 2 stakes from the knocker and 1 from each other player. Tied "
            "lowest are each paid.",
            "Sugavus: mažiausią sumą turintis žaidėjas gauna 2 statymus iš pabeldusio ir po 1 iš "
            "kitų. Jei mažiausios sumos lygios, mokama kiekvienam.",
        ),
        "caught_pays_table": Text(
            "Caught: the knocker pays one stake for each other player, all of it to the lowest. "
            "Tied lowest share it.",
            "Sugautas pabeldęs žaidėjas sumoka po statymą už kiekvieną kitą žaidėją; viskas "
            "atitenka mažiausią sumą turinčiam. Lygūs dalijasi.",
        ),
        "caught_single_each": Text(
            "Caught: the knocker pays 1 stake to each player with {catching} total.",
            "Sugautas pabeldęs žaidėjas sumoka po 1 statymą kiekvienam, kurio suma {catching}.",
        ),
        "difference": Text(
            "The loser pays the points he holds (out) or the difference ({gaps}); {more}. A caught "
            "knocker pays each lowest twice the difference, at least 1 point.",
            "Pralaimėjęs moka už rankoje likusius taškus (kai kas nors išeina) arba už skirtumą "
            "({gaps}); {more}. Sugautas pabeldęs žaidėjas moka mažiausią sumą turinčiam dvigubą "
            "skirtumą, bet ne mažiau kaip 1 tašką.",
        ),
        "difference_new_spread": Text(
            "Out without a discard is double only if you laid a new spread in that turn.",
            "Išėjus be atmetimo, dvigubai mokama tik tada, jei tą ėjimą išdėjote naują derinį.",
        ),
        "empty_stock_ends": Text(
            "When the stock is empty you may still take the discard. If you do not want it, the "
            "play ends.",
            "Išsekus traukimo kaladei, dar galima imti atmestą kortą. Kas jos nenori, užbaigia "
            "žaidimą.",
        ),
        "reshuffle": Text(
            "When the stock is empty the discards are shuffled once into a new stock; the second "
            "time the play ends.",
            "Išsekus traukimo kaladei, atmestos kortos vieną kartą permaišomos į naują kaladę; "
            "antrą kartą žaidimas baigiasi.",
        ),
        "empty_stock_voids": Text(
            "When the stock is empty and you do not want the discard, the hand is void: nobody "
            "pays.",
            "Išsekus traukimo kaladei, kas nenori atmestos kortos, anuliuoja partiją: niekas "
            "nemoka.",
        ),
        "stock_out": Text(
            "Then the lowest total gets 1 stake from each.",
            "Tada mažiausią sumą turintis žaidėjas gauna po 1 statymą iš kiekvieno.",
        ),
        "stockout_each_paid": Text(
            "Tied lowest are each paid in full.",
            "Jei mažiausios sumos lygios, kiekvienam mokama visa.",
        ),
        "stockout_split": Text(
            "Tied lowest share one payment of each; odd units go from the dealer's left.",
            "Jei mažiausios sumos lygios, mokėjimas dalijamas; likę vienetai – pradedant dalintojo "
            "kairėje.",
        ),
        "stockout_no_payment": Text(
            "If the lowest tie, nobody pays.",
            "Jei mažiausios sumos lygios, niekas nemoka.",
        ),
        "liability": Text(
            "The most you can lose in one hand at a table of {seats}: {liability}. It is held "
            "while the hand runs.",
            "Daugiausia, ką galite pralaimėti per vieną partiją prie {seats} žaidėjų stalo: "
            "{liability}. Ši suma rezervuojama, kol vyksta partija.",
        ),
        "rake": Text(
            "The house takes {rake_percent} % of what the winners of a hand gain; nothing when the "
            "hand is drawn, void or decided by the deal.",
            "Operatorius ima {rake_percent} % partijos laimėtojų gautos sumos; nieko, jei partija "
            "baigėsi lygiosiomis, anuliuota ar ją lėmė išdalytos kortos.",
        ),
        "rake_cap": Text("At most {rake_cap} a hand.", "Ne daugiau kaip {rake_cap} už partiją."),
    }
)

LINES: Mapping[str, Text] = MappingProxyType({**_GAME, **_BEFORE_PLAY, **_TURN, **_END})
"""Text of each line, by its key."""

PHRASES: Mapping[str, Text] = MappingProxyType(
    {
        "lower": Text("a lower", "mažesnė"),
        "equal_or_lower": Text("an equal or lower", "lygi ar mažesnė"),
        "further_hits": Text(
            "each further card adds {hit_hold_extra}",
            "kiekviena kita korta prideda dar {hit_hold_extra:ėjimą|ėjimus|ėjimų}",
        ),
        "no_further_hits": Text("further cards add nothing", "kitos kortos nieko neprideda"),
        "anywhere": Text("", ""),
        "at_full_table": Text(" ({turns} at a full table)", " (prie pilno stalo – {turns})"),
        "gaps": Text("knock, stock out", "kai beldžiama ar kaladė išsenka"),
        "gap_of_knock": Text("knock", "kai beldžiama"),
        "more_with_claims": Text(
            "out without a discard and dealt claims pay double or more as stated",
            "išėjus be atmetimo ir už rankas prieš žaidimą mokama daugiau, kaip nurodyta",
        ),
        "more": Text("out without a discard pays double", "išėjus be atmetimo mokama dvigubai"),
    }
)
"""Parts of lines that depend on further options."""
