"""Relations of tables: what is due, who sits where, rules, sealed seeds, decisions of bots."""

from django.db import models


class Status(models.TextChoices):
    """What a table is doing."""

    OPEN = "open"
    SEALING = "sealing"
    PLAYING = "playing"
    BETWEEN_HANDS = "between_hands"
    CLOSED = "closed"


class Due(models.TextChoices):
    """What is due: a deal, its sealing, a bot's or a person's move, a word from the tournament."""

    DEAL = "deal"
    SEAL = "seal"
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


class Sitting(models.Model):
    """A person's time at a table, a fold of its stream; house bots' is not kept."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="sittings")
    player = models.UUIDField()
    taken_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)  # null while he sits

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["table", "player"],
                condition=models.Q(left_at__isnull=True),
                name="player_sits_once",
            ),
            models.CheckConstraint(
                condition=models.Q(left_at__isnull=True)
                | models.Q(left_at__gte=models.F("taken_at")),
                name="sitting_ends_last",
            ),
        ]
        indexes = [models.Index(fields=["player", "left_at"], name="sitting_of_player")]


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
    # Stake, clock and the like, fixed at the commitment, where the deal comes later.
    terms = models.JSONField(null=True)
    created_at = models.DateTimeField()


class Anchor(models.Model):
    """A seat's chain of seeds as far as it has been shown: a fold of the table's stream."""

    table = models.ForeignKey(Table, on_delete=models.PROTECT, related_name="anchors")
    seat = models.SmallIntegerField()
    player = models.UUIDField()
    anchor = models.CharField(max_length=64)
    length = models.IntegerField()
    last_link = models.CharField(max_length=64)
    used = models.IntegerField(default=0)
    silent_at = models.IntegerField(null=True)  # hand that its silence aborted last
    next_anchor = models.CharField(max_length=64, null=True)  # registered while a hand was sealed
    next_length = models.IntegerField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["table", "seat"], name="one_anchor_a_seat"),
            models.CheckConstraint(
                condition=models.Q(used__gte=0) & models.Q(used__lte=models.F("length")),
                name="anchor_is_not_overdrawn",
            ),
        ]


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


class HandPlaces(models.Model):
    """Where a hand lies in the log and what lists say of it; versions are those of its table."""

    table_id = models.UUIDField()
    hand_no = models.IntegerField()
    tournament = models.UUIDField(null=True)
    first_version = models.IntegerField()  # ShuffleCommitted
    log_index = models.BigIntegerField()  # of that event
    # Of the deal: null while seeds are given, and where no deal followed.
    dealt_version = models.IntegerField(null=True)  # HandDealt
    started = models.DateTimeField(null=True)
    preset = models.CharField(max_length=40, null=True)
    currency = models.CharField(max_length=12, null=True)
    stake = models.BigIntegerField(null=True)
    # Of the end: null while the hand runs.
    last_version = models.IntegerField(null=True)  # HandRevealed, HandVoided, ShuffleAborted
    finished = models.DateTimeField(null=True)
    end = models.CharField(max_length=16, null=True)
    by = models.SmallIntegerField(null=True)

    class Meta:
        abstract = True


class HandRow(HandPlaces):
    """A hand as one version of the follower `hands` wrote it."""

    pk = models.CompositePrimaryKey("follower_version", "hand")
    follower_version = models.IntegerField()
    hand = models.UUIDField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["follower_version", "table_id", "first_version"], name="hand_begins_once"
            ),
            models.CheckConstraint(
                condition=models.Q(first_version__gte=1, hand_no__gte=1, log_index__gte=0),
                name="hand_has_a_place",
            ),
            models.CheckConstraint(
                condition=models.Q(dealt_version__isnull=True)
                | models.Q(dealt_version__gt=models.F("first_version")),
                name="hand_is_dealt_after_its_commitment",
            ),
            models.CheckConstraint(
                condition=models.Q(last_version__isnull=True)
                | models.Q(
                    models.Q(dealt_version__isnull=True)
                    | models.Q(last_version__gt=models.F("dealt_version")),
                    last_version__gt=models.F("first_version"),
                    finished__isnull=False,
                ),
                name="hand_ends_last",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    dealt_version__isnull=False,
                    started__isnull=False,
                    currency__isnull=False,
                    stake__isnull=False,
                )
                | models.Q(
                    dealt_version__isnull=True,
                    started__isnull=True,
                    preset__isnull=True,
                    currency__isnull=True,
                    stake__isnull=True,
                ),
                name="hand_is_dealt_wholly",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    dealt_version__isnull=False, end__isnull=False, finished__isnull=False
                )
                | models.Q(end__isnull=True, by__isnull=True),
                name="hand_that_was_dealt_ends",
            ),
        ]


class Hand(HandPlaces):
    """A hand as the live version of the follower `hands` tells it: a view, to read from."""

    hand = models.UUIDField(primary_key=True)

    class Meta:
        managed = False
        db_table = "games_hand"
