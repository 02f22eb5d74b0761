"""Every code that the product answers, its status and its text in both languages.

Codes are stable for ever (`api.md` section 3; rules of the game: `rules.md` section 9). Texts may
name facts of the refusal in braces.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Meaning:
    """Status and words of a code; `retryable`: the same request may succeed later unchanged."""

    status: int
    en: str
    lt: str
    retryable: bool = False


MEANINGS: dict[str, Meaning] = {
    # 400: the request can not be read
    "malformed_json": Meaning(400, "This is no JSON object.", "Tai ne JSON objektas."),
    "invalid_field": Meaning(
        400,
        "A field or parameter has the wrong type, range or form.",
        "Laukas ar parametras yra netinkamo tipo, dydžio ar formos.",
    ),
    "unknown_field": Meaning(
        400, "A key that is not known here, or a key twice.", "Nežinomas arba pakartotas raktas."
    ),
    "bad_amount": Meaning(
        400,
        "An amount is a positive whole number of minor units.",
        "Suma turi būti teigiamas sveikasis mažiausių vienetų skaičius.",
    ),
    "bad_cursor": Meaning(400, "This cursor was not given out.", "Toks žymeklis nebuvo išduotas."),
    "bad_card": Meaning(
        400,
        "This move can not be read: S, T, L 7S 8S 9S, H 9S m1, D 5C, K or P 5C.",
        "Šio ėjimo perskaityti nepavyko: S, T, L 7S 8S 9S, H 9S m1, D 5C, K arba P 5C.",
    ),
    "bad_tonkh": Meaning(400, "This is no hand history.", "Tai ne partijos įrašas."),
    "bad_proof_range": Meaning(
        400,
        "Sizes and places run up to the newest signed size.",
        "Dydžiai ir vietos eina iki naujausio pasirašyto dydžio.",
    ),
    "unknown_currency": Meaning(
        400, "This currency is not installed.", "Tokios valiutos čia nėra."
    ),
    "idempotency_key_missing": Meaning(
        400, "This write needs an Idempotency-Key.", "Šiai užklausai reikia Idempotency-Key."
    ),
    # 401, 403: who calls
    "not_authenticated": Meaning(401, "Log in first.", "Pirmiausia prisijunkite."),
    "token_invalid": Meaning(
        401,
        "This token is unknown, expired or revoked.",
        "Šis prieigos raktas nežinomas, pasibaigęs arba atšauktas.",
    ),
    "bad_credentials": Meaning(
        401, "Name or password is wrong.", "Neteisingas vardas arba slaptažodis."
    ),
    "bad_signature": Meaning(
        401, "No payment provider has signed this.", "To nepasirašė joks mokėjimų teikėjas."
    ),
    "insufficient_scope": Meaning(
        403, "The token lacks the scope {needed}.", "Prieigos raktui trūksta teisės {needed}."
    ),
    "not_permitted": Meaning(403, "This is not yours to do.", "Jums tai neleidžiama."),
    "not_seated": Meaning(
        403, "You have no seat at this table.", "Prie šio stalo vietos neturite."
    ),
    "not_entered": Meaning(403, "You have no living entry here.", "Šiame turnyre nebedalyvaujate."),
    "conflict_of_interest": Meaning(
        403,
        "Who directs an event does not enter it.",
        "Kas vadovauja turnyrui, pats jame nežaidžia.",
    ),
    "staff_may_not_play": Meaning(
        403,
        "Auditors and admins hold no wallet and do not play.",
        "Auditoriai ir administratoriai piniginės neturi ir nežaidžia.",
    ),
    "excluded": Meaning(
        403,
        "You may not play: you have decided so yourself, or the house has.",
        "Jums žaisti neleidžiama: taip nusprendėte pats arba rengėjas.",
    ),
    "bots_not_admitted": Meaning(403, "Bots are not admitted here.", "Botai čia neįleidžiami."),
    "signed_in_already": Meaning(
        403,
        "Registration is for callers without a token.",
        "Registruojamasi be prieigos rakto.",
    ),
    "scope_too_wide": Meaning(
        403,
        "A token can not hold more than the account allows.",
        "Raktas negali turėti daugiau teisių, nei leidžia paskyra.",
    ),
    "four_eyes": Meaning(
        403, "Two different people are needed.", "Reikia dviejų skirtingų žmonių."
    ),
    # 404 to 406
    "not_found": Meaning(
        404,
        "There is no such thing, or none that you may know of.",
        "Tokio dalyko nėra arba jis jums nematomas.",
    ),
    "unknown_account": Meaning(
        404, "There is no account of that code.", "Sąskaitos tokiu kodu nėra."
    ),
    "method_not_allowed": Meaning(
        405, "This path does not know that method.", "Šis kelias tokio metodo nežino."
    ),
    "not_acceptable": Meaning(
        406, "This form of the answer does not exist.", "Tokios atsakymo formos nėra."
    ),
    # 409: not now
    "stale_version": Meaning(
        409, "Something happened meanwhile; look again.", "Per tą laiką kai kas pasikeitė."
    ),
    "not_your_turn": Meaning(409, "It is not your turn.", "Dabar ne jūsų ėjimas."),
    "no_reveal_yet": Meaning(
        409, "The hand is still running.", "Partija dar nebaigta.", retryable=True
    ),
    "seed_too_late": Meaning(
        409, "The time for seeds of this hand is over.", "Šios partijos sėklų laikas baigėsi."
    ),
    "anchor_required": Meaning(
        409,
        "This table deals in seats alone that have fixed their seeds.",
        "Prie šio stalo dalijama tik tiems, kas yra įtvirtinęs savo sėklas.",
    ),
    "below_liability": Meaning(
        409,
        "The stack does not cover the worst case of a hand.",
        "Žetonų neužtektų blogiausiai partijos baigčiai.",
    ),
    "no_hand": Meaning(409, "No hand is running.", "Partija nežaidžiama."),
    "hand_over": Meaning(409, "The hand is over.", "Partija baigta."),
    "table_closed": Meaning(409, "The table is closed.", "Stalas uždarytas."),
    "table_full": Meaning(409, "No seat is free.", "Laisvų vietų nėra."),
    "seat_taken": Meaning(409, "That seat is taken.", "Ši vieta užimta."),
    "already_seated": Meaning(409, "You sit at this table already.", "Prie šio stalo jau sėdite."),
    "tournament_table": Meaning(
        409,
        "A seat of a tournament is not taken, left or topped up by hand.",
        "Turnyro vieta rankomis neužimama, nepaliekama ir nepapildoma.",
    ),
    "already_registered": Meaning(409, "You are entered already.", "Jau esate užsiregistravę."),
    "field_full": Meaning(409, "No place is left.", "Vietų nebeliko."),
    "half_bye_too_late": Meaning(
        409, "No half bye is given in this round.", "Šiame rate pusės taško pertrauka neduodama."
    ),
    "half_bye_used": Meaning(
        409,
        "One half bye each, and yours is used.",
        "Pusės taško pertrauka viena, ir ji panaudota.",
    ),
    "deal_not_possible": Meaning(
        409, "No deal of this kind is possible now.", "Toks susitarimas dabar negalimas."
    ),
    "deal_changed": Meaning(
        409,
        "Another proposal has replaced this one, or its time is over.",
        "Šį pasiūlymą pakeitė kitas, arba jo laikas baigėsi.",
    ),
    "deal_not_unanimous": Meaning(409, "Not everybody has accepted yet.", "Dar ne visi sutiko."),
    "pairing_invalid": Meaning(
        422, "This pairing breaks a rule.", "Šis porų sudarymas pažeidžia taisyklę."
    ),
    "limit_reached": Meaning(409, "A limit is reached.", "Pasiekta riba."),
    "registration_closed": Meaning(
        409, "Registration is not open now.", "Registracija dabar neatidaryta."
    ),
    "too_late": Meaning(409, "The time for it is over.", "Laikas tam baigėsi."),
    "too_few_players": Meaning(
        409,
        "There are {entries} entries; {entries_min} are needed.",
        "Dalyvių yra {entries}, o reikia bent {entries_min}.",
    ),
    "wrong_state": Meaning(
        409, "Not possible in this state: {status}.", "Šioje būsenoje negalima: {status}."
    ),
    "rules_frozen": Meaning(
        409, "Published rules do not change.", "Paskelbtos taisyklės nekeičiamos."
    ),
    "insufficient_funds": Meaning(
        409, "The wallet holds too little.", "Piniginėje per mažai lėšų."
    ),
    "debt_outstanding": Meaning(
        409,
        "Nothing is paid out while you owe the house.",
        "Kol turite skolą, pinigai neišmokami.",
    ),
    "not_withdrawable": Meaning(
        409,
        "Play chips are not paid out, and money goes back the way it came first.",
        "Žaidimo žetonai neišmokami, o pinigai pirmiausia grįžta tuo keliu, kuriuo atėjo.",
    ),
    "balance_limit": Meaning(409, "A balance would grow too large.", "Likutis taptų per didelis."),
    "table_parked": Meaning(
        409,
        "Settlement of this table stands; staff mend it.",
        "Šio stalo atsiskaitymas sustojo; darbuotojai tvarko.",
        retryable=True,
    ),
    "not_yet_sealed": Meaning(
        409,
        "No signed checkpoint covers this yet; ask again in a second.",
        "Pasirašytas kontrolinis taškas šito dar neapima; bandykite po sekundės.",
        retryable=True,
    ),
    "entry_conflict": Meaning(
        409, "The entry's key is taken by other content.", "Įrašo raktas užimtas kito turinio."
    ),
    "floor_violated": Meaning(
        409, "An account would fall below its floor.", "Sąskaita nukristų žemiau leistinos ribos."
    ),
    "unknown_event": Meaning(
        409, "The books do not know this event.", "Apskaita šio įvykio nežino."
    ),
    "escrow_not_empty": Meaning(409, "Escrow must be zero.", "Rezervas turi būti tuščias."),
    "account_closed": Meaning(409, "The account is closed.", "Sąskaita uždaryta."),
    "account_frozen": Meaning(
        409, "The account is frozen pending a review.", "Sąskaita įšaldyta, kol bus patikrinta."
    ),
    "duplicate_reference": Meaning(
        409, "This reference is booked already.", "Ši nuoroda jau įtraukta į apskaitą."
    ),
    "already_decided": Meaning(409, "This has been decided already.", "Tai jau nuspręsta."),
    "cooling_off": Meaning(
        409,
        "So much by one person in a day takes effect at {until} at the earliest.",
        "Tokia vieno žmogaus per parą pasiūlyta suma įsigalios ne anksčiau kaip {until}.",
        retryable=True,
    ),
    "already_reversed": Meaning(
        409, "An entry is reversed once, and this one was.", "Šis įrašas jau stornuotas."
    ),
    "period_closed": Meaning(
        409, "The books of that time are closed.", "To laikotarpio apskaita uždaryta."
    ),
    "name_taken": Meaning(409, "That name exists already.", "Toks vardas jau yra."),
    "idempotency_in_progress": Meaning(
        409,
        "The first request with this key still runs.",
        "Pirmoji užklausa su šiuo raktu dar vykdoma.",
        retryable=True,
    ),
    # 413 to 422
    "body_too_large": Meaning(413, "The body is too large.", "Užklausa per didelė."),
    "unsupported_media_type": Meaning(
        415, "Bodies are application/json.", "Užklausos turi būti application/json."
    ),
    "idempotency_key_reused": Meaning(
        422,
        "This key was used for another request.",
        "Šis raktas panaudotas kitai užklausai.",
    ),
    "bad_options": Meaning(
        422, "These rule options do not work.", "Tokios taisyklių nuostatos netinka."
    ),
    "bad_structure": Meaning(
        422, "These tournament options do not work.", "Tokios turnyro nuostatos netinka."
    ),
    "buy_in_out_of_range": Meaning(
        422,
        "The buy-in at this table is {least} to {most}.",
        "Įnašas prie šio stalo – nuo {least} iki {most}.",
    ),
    "weak_password": Meaning(
        422,
        "The password is too short, too common or too like the name.",
        "Slaptažodis per trumpas, per dažnas arba per panašus į vardą.",
    ),
    "name_confusable": Meaning(
        422,
        "The name is empty, too long or holds hidden characters.",
        "Vardas tuščias, per ilgas arba jame yra nematomų ženklų.",
    ),
    "bad_seed": Meaning(
        422,
        "This seed does not link to the last one, or the seat has no anchor.",
        "Ši sėkla nesisieja su ankstesne arba vieta nėra įtvirtinusi sėklų.",
    ),
    "unbalanced": Meaning(422, "The lines do not sum to zero.", "Eilučių suma nelygi nuliui."),
    "bad_entry": Meaning(422, "This is no sound entry.", "Toks įrašas netinkamas."),
    "currency_mismatch": Meaning(
        422, "The account is of another currency.", "Sąskaita yra kita valiuta."
    ),
    "not_adjustable": Meaning(
        422,
        "An adjustment touches no escrow and no second player.",
        "Taisant neliečiami nei rezervai, nei kitas žaidėjas.",
    ),
    "reversal_mismatch": Meaning(
        422, "Not the exact mirror of the entry.", "Tai ne tikslus įrašo storno."
    ),
    "receipt_too_long": Meaning(
        422,
        "A receipt of {records} records would be too long: take the export of the stream.",
        "Kvitas iš {records} įrašų būtų per ilgas: imkite srauto eksportą.",
    ),
    # 422: the rules of the game
    "slap_not_possible": Meaning(422, "There is nothing to slap.", "Nėra ko pliaukštelėti."),
    "knock_only_at_turn_start": Meaning(
        422, "Knock before you draw.", "Belsti galima tik prieš traukiant kortą."
    ),
    "knock_too_early": Meaning(
        422,
        "You may knock from your turn {round} on.",
        "Belsti galėsite nuo {round}-ojo savo ėjimo.",
    ),
    "knock_held": Meaning(
        422,
        "A hold keeps you from knocking this turn.",
        "Šį ėjimą belsti negalite: esate sulaikytas.",
    ),
    "knock_over_limit": Meaning(
        422,
        "You hold {count}; the limit is {limit}.",
        "Jūsų suma {count}, o belsti galima turint ne daugiau kaip {limit}.",
    ),
    "already_drawn": Meaning(422, "You have already drawn.", "Kortą jau paėmėte."),
    "no_discard": Meaning(422, "There is no discard to take.", "Atmestų kortų nėra."),
    "must_draw_stock": Meaning(
        422,
        "Too many discards taken in a row: draw from the stock.",
        "Per daug kartų iš eilės imta atmesta korta: traukite iš kaladės.",
    ),
    "discard_unusable": Meaning(
        422,
        "That card is of no use to you now.",
        "Šios kortos dabar neturite kur padėti.",
    ),
    "must_draw_first": Meaning(422, "Draw a card first.", "Pirmiausia paimkite kortą."),
    "card_not_in_hand": Meaning(422, "You do not hold that card.", "Šios kortos neturite."),
    "bad_spread": Meaning(
        422,
        "Those cards are neither a book nor a run.",
        "Šios kortos nesudaro nei rinkinio, nei sekos.",
    ),
    "bad_hit": Meaning(422, "That card does not fit there.", "Ši korta prie šio derinio netinka."),
    "hit_limit": Meaning(
        422, "No more hits this turn.", "Šį ėjimą daugiau kortų pridėti negalite."
    ),
    "same_discard": Meaning(
        422,
        "You may not throw back the card you just took.",
        "Ką tik paimtos kortos atgal atmesti negalima.",
    ),
    "must_use_discard": Meaning(
        422, "Lay the card you took first.", "Pirmiausia panaudokite paimtą kortą."
    ),
    "must_spread": Meaning(
        422, "Lay the spread you hold first.", "Pirmiausia išdėkite turimą derinį."
    ),
    # 428 and above
    "version_missing": Meaning(
        428,
        "Say which version you saw.",
        "Nurodykite, kurią versiją matėte.",
    ),
    "internal": Meaning(
        500,
        "Our fault; the request id finds it.",
        "Mūsų klaida; ją rasime pagal užklausos numerį.",
        retryable=True,
    ),
    "unavailable": Meaning(
        503,
        "Not ready just now; try again with the same key.",
        "Šiuo metu neveikia; bandykite vėl su tuo pačiu raktu.",
        retryable=True,
    ),
}
