"""What the database must guard of the deal (`eventstore.md` section 1.5)."""

from eventstore.checks import APP, READ, Guards, Relation

GUARDS = Guards(
    relations=(
        # A sealed seed is written, read and removed, by those who decide moves; never changed.
        Relation("games_dealersecret", {APP: READ | {"INSERT", "DELETE"}}),
    )
)
