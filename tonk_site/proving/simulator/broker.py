"""Queues and channels in memory: the simulated side of `eventstore.wake.Messages`."""

from collections import Counter
from dataclasses import dataclass

from kombu.exceptions import OperationalError
from redis import RedisError

from tonk_site.proving.points import Call, at
from tonk_site.proving.simulator.faults import MESSAGES, Menu
from tonk_site.proving.simulator.scheduler import Scheduler

COPIES_MAX = 40
DELAY_SECONDS_MAX = 7_200
REORDER_SECONDS_MAX = 30
DOWN_SECONDS_MAX = 300
REDELIVERY_SECONDS = 60  # as `tonk_site.celery` sets it


@dataclass(frozen=True, slots=True)
class Message:
    """Work for a queue, not before an instant."""

    task: str
    arguments: tuple[str | int, ...]
    queue: str
    at: float


class Broker:
    """All queues. Nothing of it outlives a flush."""

    def __init__(self, scheduler: Scheduler, menu: Menu) -> None:
        self._scheduler, self._menu = scheduler, menu
        self._messages: list[Message] = []
        self._down_until = 0.0
        self.sent = Counter[str]()

    def send(self, task: str, arguments: tuple[str | int, ...], queue: str) -> None:
        """Keep a message, or lose it, or keep many. Raises: OperationalError while it is down."""
        with at(Call("send", task)):
            self.sent[task] += 1
            now = self._scheduler.now
            kind, argument = self._menu.draw(MESSAGES, task) or ("", 0.0)
            if kind == "redis_flush":
                self._messages.clear()
            if kind == "redis_down":
                self._down_until = now + DOWN_SECONDS_MAX * argument
            if self.is_down:
                raise OperationalError("no broker")
            delay = {"delay": DELAY_SECONDS_MAX, "reorder": REORDER_SECONDS_MAX}.get(kind, 0)
            copies = {"drop": 0, "duplicate": 2 + int(argument * (COPIES_MAX - 1))}.get(kind, 1)
            message = Message(task, arguments, queue, now + delay * argument)
            self._messages += [message] * copies

    def publish(self, channel: str, message: int) -> None:
        """Nobody needs a word: whoever listens looks at the log. Raises: RedisError."""
        del message
        with at(Call("publish", channel)):
            if self.is_down:
                raise RedisError("no broker")

    @property
    def is_down(self) -> bool:
        """Whether nobody reaches it."""
        return self._scheduler.now < self._down_until

    def has(self, queue: str) -> bool:
        """Whether a worker of the queue has something to do."""
        return not self.is_down and any(self._is_there(one, queue) for one in self._messages)

    def is_waited_for(self) -> bool:
        """Whether a message is due that nobody has taken; what comes later is none yet."""
        return any(one.at <= self._scheduler.now for one in self._messages)

    def take(self, queue: str) -> Message | None:
        """The oldest message of a queue, if there is one."""
        if self.is_down:
            return None
        for place, one in enumerate(self._messages):
            if self._is_there(one, queue):
                return self._messages.pop(place)
        return None

    def next_at(self, queue: str) -> float:
        """When the next message can be taken."""
        coming = [one.at for one in self._messages if one.queue == queue]
        return max(min(coming, default=float("inf")), self._down_until)

    def restore(self, message: Message) -> None:
        """Give a message back that a worker took to its grave."""
        later = self._scheduler.now + REDELIVERY_SECONDS
        self._messages.append(Message(message.task, message.arguments, message.queue, later))

    def calm(self) -> None:
        """The broker is there again, and nothing is late any more."""
        self._down_until = 0.0
        now = self._scheduler.now
        self._messages = [
            Message(one.task, one.arguments, one.queue, min(one.at, now)) for one in self._messages
        ]

    def __len__(self) -> int:
        return len(self._messages)

    def _is_there(self, message: Message, queue: str) -> bool:
        return message.queue == queue and message.at <= self._scheduler.now
