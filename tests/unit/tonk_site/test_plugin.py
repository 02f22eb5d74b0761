"""The plugin and the fixtures of the tests themselves."""

import socket

import psycopg
import pytest

from tests.services import numbered


def test_a_unit_test_opens_no_socket() -> None:
    with socket.socket() as one, pytest.raises(AssertionError, match="no socket"):
        one.connect(("127.0.0.1", 9))
    with pytest.raises(AssertionError, match="no socket"):
        psycopg.connect("postgres://h/d")


def test_each_worker_has_a_cache_of_its_own() -> None:
    assert numbered("redis://cache:6379/0", 2) == "redis://cache:6379/2"
    assert numbered("unix:///run/v.sock?db=0", 3) == "unix:///run/v.sock?db=3"
