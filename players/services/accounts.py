"""Opening accounts, roles, log-in and log-out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from eventstore.core.chain import START, Fact
from eventstore.core.ids import HOUSE, player_stream
from eventstore.core.refusal import refuse
from eventstore.ports import new_id, random_bytes
from eventstore.services import LiveRow, Transaction, in_transaction, require_writable
from players.core import names, roles
from players.core.events import PlayerRegistered, RoleGranted
from players.models import Kind, Role, Token, User

WelcomeWork = Callable[[Transaction, UUID], None]
_welcomes: list[WelcomeWork] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What a person gives to open an account."""

    username: str
    password: str
    display_name: str
    email: str = ""
    language: str = "en"


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token with its secret, which is shown this once."""

    secret: str
    token_id: UUID
    player: User
    scopes: tuple[str, ...]
    expires_at: datetime


def when_registered(work: WelcomeWork) -> None:
    """Have `work` done in the transaction that opens a playing account (a wallet, say)."""
    if work not in _welcomes:
        _welcomes.append(work)


def account_row(player: UUID) -> LiveRow:
    """The row that a command locks whose limit counts over all that a player has."""
    return LiveRow("players_user", player)


def register(who: Registration, *, extra_roles: Sequence[str] = ()) -> User:
    """A new account of a person, with the role of a player unless the extra ones are staff's.

    Appends PlayerRegistered (and RoleGranted); a playing account gets its wallet and first chips
    in the same transaction. Raises: Refused with `invalid_field`, `name_confusable`,
    `weak_password`, `name_taken`.
    """
    username, display_name = names.username(who.username), names.display_name(who.display_name)
    if username is None:
        raise refuse("invalid_field", field="username")
    if display_name is None:
        raise refuse("name_confusable", field="display_name")
    account = User(
        id=new_id(),
        username=username,
        email=who.email,
        display_name=display_name,
        language=who.language,
        kind=Kind.HUMAN,
    )
    try:
        validate_password(who.password, account)
    except ValidationError as fault:
        raise refuse("weak_password", problems=fault.messages) from fault
    account.password = make_password(who.password)
    granted = tuple(extra_roles) if set(extra_roles) & roles.STAFF else (roles.PLAYER, *extra_roles)
    return in_transaction(partial(_open, account=account, granted=granted))


def register_bot(level: str, display_name: str) -> User:
    """A new house bot of a level. Raises: Refused with `name_taken`."""
    account = User(
        id=new_id(),
        username=f"bot-{random_bytes(10).hex()}",
        display_name=display_name,
        kind=Kind.BOT,
        level=level,
        password=make_password(None),
    )
    return in_transaction(partial(_open, account=account, granted=(roles.PLAYER,)))


def _open(tx: Transaction, *, account: User, granted: Iterable[str]) -> User:
    require_writable()
    account.created_at = tx.now
    try:
        with transaction.atomic():
            account.save(force_insert=True)
    except IntegrityError as fault:
        raise refuse("name_taken", field=_taken(fault)) from fault
    Role.objects.bulk_create(Role(user=account, role=role) for role in granted)
    actor = f"player:{account.id}"
    facts = [
        Fact(PlayerRegistered(kind=Kind(account.kind).value, level=account.level or None), actor)
    ]
    # The operator's set-up grants the first roles; the house stands for the approving person.
    facts += [
        Fact(RoleGranted(role=role, second=str(HOUSE)), "worker:setup")
        for role in granted
        if role != roles.PLAYER
    ]
    tx.append(player_stream(account.id), START, facts)
    if roles.PLAYER in granted:
        for welcome in _welcomes:
            welcome(tx, account.id)
    return account


def _taken(fault: IntegrityError) -> str:
    """Which name exists already."""
    diagnosis = getattr(fault.__cause__, "diag", None)
    constraint = diagnosis.constraint_name if diagnosis is not None else None
    return "display_name" if constraint == "display_name_once" else "username"


def log_in(
    username: str, password: str, *, device: str, scopes: Sequence[str] | None = None
) -> IssuedToken:
    """A new token for the right name and password.

    Without `scopes` it holds all that the roles allow. Raises: Refused with `bad_credentials`,
    `scope_too_wide`.
    """
    return issue_token(account_of(username, password), device=device, scopes=scopes)


def account_of(username: str, password: str) -> User:
    """The account of the right name and password. Unknown names cost the same work as known ones.

    Raises: Refused with `bad_credentials`.
    """
    account = User.objects.filter(username=username.strip().lower(), kind=Kind.HUMAN).first()
    stored = account.password if account else make_password(None)
    if not check_password(password, stored) or account is None or not account.is_active:
        if account is None:
            make_password(password)  # an unknown name must not answer sooner than a known one
        raise refuse("bad_credentials")
    return account


def issue_token(account: User, *, device: str, scopes: Sequence[str] | None = None) -> IssuedToken:
    """A new token of an account. Raises: Refused with `scope_too_wide`."""
    held = account.roles.values_list("role", flat=True)
    allowed = roles.allowed_scopes(account.kind, held)
    wanted = allowed if scopes is None else tuple(scopes)
    if not set(wanted) <= set(allowed):
        raise refuse("scope_too_wide", allowed=list(allowed))
    with transaction.atomic():
        token, secret = Token.objects.create(
            user=account,
            expiry=roles.life(wanted),
            id=new_id(),
            device=device,
            scopes=list(wanted),
        )
    return IssuedToken(secret, token.id, account, wanted, token.expiry)


def log_out(token: Token) -> None:
    """Revoke the token; once more does nothing."""
    Token.objects.filter(pk=token.pk).delete()
