"""Relations of people: accounts, roles, tokens. Personal data lies here, never in an event."""

from typing import ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models.functions import Lower
from knox.models import AbstractAuthToken


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
            models.UniqueConstraint(Lower("display_name"), name="display_name_once"),
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
