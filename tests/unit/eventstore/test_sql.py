"""SQL of migrations from files."""

from pathlib import Path

import pytest

from eventstore.sql import run_file


def test_the_text_is_sent_as_it_stands_under_a_limit(tmp_path: Path) -> None:
    (tmp_path / "up.sql").write_text("SELECT '%s'; SELECT 2;")
    (tmp_path / "down.sql").write_text("SELECT 3;")
    operation = run_file(str(tmp_path / "0001_x.py"), "up.sql", reverse="down.sql")
    assert operation.sql == "SET LOCAL lock_timeout = '1s';\nSELECT '%s'; SELECT 2;"
    assert operation.reverse_sql == "SET LOCAL lock_timeout = '1s';\nSELECT 3;"
    assert operation.reversible


def test_without_a_way_back_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "up.sql").write_text("SELECT 1;")
    assert not run_file(str(tmp_path / "0001_x.py"), "up.sql").reversible


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_file(str(tmp_path / "0001_x.py"), "none.sql")
