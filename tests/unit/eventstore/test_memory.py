"""The log in memory keeps the contract of the store."""

import pytest
from typing_extensions import override

from eventstore.memory import MemoryLog
from tests.unit.eventstore.log_contract import Log, LogContract


class TestMemory(LogContract):
    @override
    @pytest.fixture
    def log(self) -> Log:
        return MemoryLog()
