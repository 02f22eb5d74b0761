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

    Each level begins at a bird of its own, so that few tables seat two of one kind.

    >>> bot_name("greedy-1", 0), bot_name("greedy-1", 20), bot_name("random-0", 0)
    ('Pelėda (greedy-1)', 'Pelėda 2 (greedy-1)', 'Gulbė (random-0)')
    """
    again = number // len(BIRDS)
    bird = (number + ord(level[0])) % len(BIRDS)
    return f"{BIRDS[bird]}{f' {again + 1}' if again else ''} ({level})"
