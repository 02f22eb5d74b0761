"""Relations of people: accounts, roles, tokens. Personal data lies here, never in an event."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from knox.models import AbstractAuthToken

from players.core.names import LOOK_LIKE, LOOKALIKES


class Kind(models.TextChoices):
    """What plays: a person or a program."""

    HUMAN = "human"
    BOT = "bot"


class UserManager(BaseUserManager["User"]):
    """Finds accounts by log-in name; accounts are made by `players.services` alone."""


class User(AbstractBaseUser):  # type: ignore[django-manager-missing]  # knox has no types
    """An account. The id is what events know of a person."""

    id = models.UUIDField(primary_key=True)
    username = models.CharField(max_length=32, unique=True)
    email = models.EmailField(blank=True)
    display_name = models.CharField(max_length=40)
    language = models.CharField(max_length=2, default="en")
    kind = models.CharField(max_length=5, choices=Kind.choices)
    level = models.CharField(max_length=40, blank=True)
    created_at = models.DateTimeField()

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "username"

    class Meta:
        constraints = [
            models.UniqueConstraint(
                models.Func(
                    Lower("display_name"),
                    models.Value(LOOKALIKES),
                    models.Value(LOOK_LIKE),
                    function="translate",
                ),
                name="display_name_once",
            ),
            models.CheckConstraint(condition=models.Q(kind__in=Kind.values), name="kind_known"),
            models.CheckConstraint(
                condition=models.Q(level="") | models.Q(kind=Kind.BOT), name="level_of_bots_alone"
            ),
        ]


class Role(models.Model):
    """One role of one account."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="roles")
    role = models.CharField(max_length=10)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "role"], name="role_once")]


class Token(AbstractAuthToken):  # type: ignore[misc]  # knox has no types
    """An API token: only its digest is stored, with what it may be used for."""

    id = models.UUIDField(unique=True)
    device = models.CharField(max_length=80)
    scopes = models.JSONField()

    class Meta:
        pass


class ProposalState(models.TextChoices):
    """Where a proposal stands."""

    PROPOSED = "proposed"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"


class Proposal(models.Model):
    """What one of the staff asks for and a second one decides: it is not done before."""

    id = models.UUIDField(primary_key=True)
    kind = models.CharField(max_length=40)
    subject = models.CharField(max_length=80)  # what it is about: an id, a month
    data = models.JSONField()
    reason_code = models.CharField(max_length=40)
    text = models.TextField()
    proposer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=ProposalState.choices)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    note = models.TextField(blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=ProposalState.values), name="proposal_state_known"
            ),
            models.CheckConstraint(
                condition=models.Q(decided_by=None) | ~models.Q(decided_by=models.F("proposer")),
                name="proposal_four_eyes",
            ),
            models.CheckConstraint(
                condition=models.Q(state=ProposalState.PROPOSED, decided_at=None)
                | ~models.Q(state=ProposalState.PROPOSED) & models.Q(decided_at__isnull=False),
                name="proposal_decided",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    state__in=(ProposalState.PROPOSED, ProposalState.EXPIRED), decided_by=None
                )
                | models.Q(
                    state__in=(ProposalState.APPROVED, ProposalState.REJECTED),
                    decided_by__isnull=False,
                ),
                name="proposal_decider",
            ),
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=models.Q(state=ProposalState.PROPOSED),
                name="proposal_open_once",
            ),
        ]
        indexes = [models.Index(fields=["-created_at", "-id"], name="proposal_newest")]
