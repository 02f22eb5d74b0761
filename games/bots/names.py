"""Names of house bots: birds of Lithuania."""

BIRDS = (
    "Kregždė",
    "Varna",
    "Gandras",
    "Pelėda",
    "Zylė",
    "Žvirblis",
    "Gegutė",
    "Kėkštas",
    "Volungė",
    "Starta",
    "Vyturys",
    "Genys",
    "Kuosa",
    "Lakštingala",
    "Gulbė",
    "Kikilis",
    "Tetervinas",
    "Varnėnas",
    "Šarka",
    "Griežlė",
)


def bot_name(level: str, number: int) -> str:
    """Shown name of the house bot with this number (from 0) among those of its level.

    >>> bot_name("greedy-1", 0), bot_name("greedy-1", 20)
    ('Kregždė (greedy-1)', 'Kregždė 2 (greedy-1)')
    """
    again, bird = divmod(number, len(BIRDS))
    return f"{BIRDS[bird]}{f' {again + 1}' if again else ''} ({level})"
