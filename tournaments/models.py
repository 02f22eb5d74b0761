"""Relations of tournaments: what is due, what lists show, the sealed lot seed."""

from django.db import models


class Tournament(models.Model):
    """The live row of a tournament: a fold of its stream, and what is due there next."""

    id = models.UUIDField(primary_key=True)
    version = models.IntegerField()
    status = models.CharField(max_length=12)
    due = models.CharField(max_length=7, null=True)
    due_at = models.DateTimeField(null=True)
    attempts = models.SmallIntegerField(default=0)
    parked_code = models.CharField(max_length=40, null=True)
    # What lists show. The name is text of a person: it lies here, never in an event.
    organiser = models.ForeignKey("players.User", on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=80)
    template = models.CharField(max_length=40, blank=True)
    format = models.CharField(max_length=20)
    currency = models.CharField(max_length=12)
    entries = models.IntegerField(default=0)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(due__isnull=True, due_at__isnull=True)
                | models.Q(due__isnull=False, due_at__isnull=False),
                name="tournament_due_has_an_instant",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(due__isnull=False), name="tournament_due"
            ),
            models.Index(fields=["-created_at", "-id"], name="tournament_newest"),
        ]


class Entrant(models.Model):
    """An entry, found again by the player."""

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="entrants")
    player = models.ForeignKey("players.User", on_delete=models.PROTECT, related_name="+")
    entry_no = models.SmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["tournament", "player", "entry_no"], name="entry_number_once"
            )
        ]


class LotSecret(models.Model):
    """The sealed seed of a tournament's lot, until it is revealed."""

    tournament = models.UUIDField(primary_key=True)
    key_id = models.CharField(max_length=16)
    nonce = models.BinaryField()
    ciphertext = models.BinaryField()
    created_at = models.DateTimeField()
