"""`manage.py account`: what it makes, and what it says of what it refuses."""

import warnings
from getpass import GetPassWarning

import pytest
from django.core.management import CommandError, call_command

from players.models import User
from players.selectors import roles_of
from players.services import account_of

pytestmark = pytest.mark.usefixtures("committed")
PASSWORD = "seven wild geese"
COMMAND = "players.management.commands.account"


def test_an_account_with_roles(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TONK_PASSWORD", PASSWORD)
    call_command("account", "algis", "--role", "admin")
    account = account_of("algis", PASSWORD)
    assert capsys.readouterr().out == f"algis {account.id}\n"
    assert set(roles_of(account.id)) == {"admin"}
    with pytest.raises(CommandError, match=r"^name_taken: "):
        call_command("account", "algis")


def test_a_weak_password_is_told_in_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONK_PASSWORD", "geese")
    with pytest.raises(CommandError, match=r"^This password is too short\. [^{}\[\]]*\.$"):
        call_command("account", "algis")
    assert not User.objects.filter(username="algis").exists()


def test_the_password_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TONK_PASSWORD", raising=False)
    monkeypatch.setattr(f"{COMMAND}.getpass", lambda: PASSWORD)
    call_command("account", "algis")
    assert account_of("algis", PASSWORD).username == "algis"


def shown() -> str:
    """As `getpass` where it can not hide what is typed."""
    warnings.warn("Can not control echo on the terminal.", GetPassWarning, stacklevel=1)
    return PASSWORD


def ended() -> str:
    raise EOFError


@pytest.mark.parametrize("asked", [shown, ended])
def test_without_a_terminal_it_says_where_the_password_goes(
    asked: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TONK_PASSWORD", raising=False)
    monkeypatch.setattr(f"{COMMAND}.getpass", asked)
    with pytest.raises(CommandError, match="put it into TONK_PASSWORD"):
        call_command("account", "algis")
    assert not User.objects.filter(username="algis").exists()
