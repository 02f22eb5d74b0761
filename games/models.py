"""Relations of tables: what is due, who sits where, rules, sealed seeds, decisions of bots."""

from django.db import models


class Status(models.TextChoices):
    """What a table is doing."""

    OPEN = "open"
    PLAYING = "playing"
    BETWEEN_HANDS = "between_hands"
    CLOSED = "closed"


class Due(models.TextChoices):
    """What is due at a table: a deal, a bot's or a person's move, a word from the tournament."""

    DEAL = "deal"
    BOT = "bot"
    MOVE = "move"
    HELD = "held"


class Table(models.Model):
    """The live row of a table: a fold of its stream, and what is due there next."""

    id = models.UUIDField(primary_key=True)
    version = models.IntegerField()
    status = models.CharField(max_length=13, choices=Status.choices)
    due = models.CharField(max_length=4, choices=Due.choices, null=True)
    due_at = models.DateTimeField(null=True)
    attempts = models.SmallIntegerField(default=0)
    parked_code = models.CharField(max_length=40, null=True)
    to_act = models.SmallIntegerField(null=True)
    hand_version = models.IntegerField(null=True)
    hands_counted = models.IntegerField(default=0)
    # What the lobby shows; fixed when the table is opened, but for the seats taken.
    tournament = models.UUIDField(null=True)
    opened_by = models.UUIDField()
    opened_at = models.DateTimeField()
    preset = models.CharField(max_length=40)
    currency = models.CharField(max_length=12)
    stake = models.BigIntegerField()
    seats = models.SmallIntegerField()
    seats_taken = models.SmallIntegerField(default=0)
    visibility = models.CharField(max_length=8)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(due__isnull=True, due_at__isnull=True)
                | models.Q(due__in=Due.values, due_at__isnull=False),
                name="table_due_has_an_instant",
            ),
            models.CheckConstraint(
                condition=models.Q(seats_taken__gte=0)
                & models.Q(seats_taken__lte=models.F("seats")),
                name="table_seats_suffice",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(due__isnull=False), name="table_due"
            ),
            models.Index(fields=["tournament"], name="table_tournament"),
            models.Index(fields=["-opened_at", "-id"], name="table_newest"),
        ]


class Seat(models.Model):
    """Who sits where: one person a seat, one seat a person and table."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="places")
    seat = models.SmallIntegerField()
    player = models.ForeignKey("players.User", on_delete=models.PROTECT, related_name="seats")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "seat"], name="seat_taken_once"),
            models.UniqueConstraint(fields=["table", "player"], name="player_seated_once"),
            models.CheckConstraint(
                condition=models.Q(seat__gte=1) & models.Q(seat__lte=6), name="seat_in_range"
            ),
        ]


class RuleSet(models.Model):
    """An option set that a table was opened with, by its fingerprint; insert-only."""

    hash = models.CharField(max_length=64, primary_key=True)
    version = models.SmallIntegerField()  # of the rules
    options = models.JSONField()  # all of them

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(hash__regex="^[0-9a-f]{64}$"), name="rule_set_is_by_hash"
            ),
            models.CheckConstraint(condition=models.Q(version__gte=1), name="rule_set_has_version"),
        ]


class DealerSecret(models.Model):
    """The sealed seed of a running hand. Only `games/dealer.py` reads this."""

    hand = models.UUIDField(primary_key=True)
    key_id = models.CharField(max_length=16)
    nonce = models.BinaryField()
    ciphertext = models.BinaryField()
    created_at = models.DateTimeField()


class BotDecision(models.Model):
    """How a bot came to its move; insert-only, and no source of any fold."""

    table_id = models.UUIDField()
    version = models.IntegerField()
    level = models.CharField(max_length=40)
    samples = models.IntegerField()
    fallback = models.CharField(max_length=12, null=True)
    seed = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table_id", "version"], name="one_decision_a_turn")
        ]
