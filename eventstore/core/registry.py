"""Event types under our own names: no module path is ever stored (`eventstore.md` 2.4)."""

from collections.abc import Callable, Mapping

import msgspec

Upcast = Callable[[dict[str, object]], dict[str, object]]
Event = msgspec.Struct


class Registry:
    """Names, schemas and classes of events, with the steps from older schemas to newer ones."""

    __slots__ = ("_classes", "_decoders", "_names", "_upcasts")

    def __init__(self) -> None:
        self._classes: dict[tuple[str, int], type[Event]] = {}
        self._decoders: dict[tuple[str, int], Callable[[str], Event]] = {}  # of newest schemas
        self._names: dict[type[Event], tuple[str, int]] = {}
        self._upcasts: dict[tuple[str, int], Upcast] = {}

    def register(
        self, name: str, schema: int, cls: type[Event], upcast: Upcast | None = None
    ) -> None:
        """Make `cls` the form of (name, schema); `upcast` leads from schema - 1 to it.

        Raises: ValueError for a pair twice, a gap between schemas, or a missing upcast.
        """
        if (name, schema) in self._classes:
            raise ValueError(f"{name} schema {schema} is registered twice")
        if schema > 1 and ((name, schema - 1) not in self._classes or upcast is None):
            raise ValueError(f"{name} schema {schema} needs schema {schema - 1} and an upcast")
        self._classes[name, schema] = cls
        self._names[cls] = (name, schema)
        self._decoders.pop((name, schema - 1), None)
        self._decoders[name, schema] = msgspec.json.Decoder(cls).decode
        if upcast:
            self._upcasts[name, schema] = upcast

    def type_of(self, event: Event) -> tuple[str, int]:
        """Name and schema under which an event is stored. Raises: KeyError for a stranger."""
        return self._names[type(event)]

    def decode(self, name: str, schema: int, text: str) -> Event:
        """The event in its newest form. Raises: KeyError (unknown), msgspec.ValidationError."""
        decode = self._decoders.get((name, schema))
        if decode is not None:
            return decode(text)
        if (name, schema) not in self._classes:
            raise KeyError((name, schema))
        fields: dict[str, object] = msgspec.json.decode(text)
        while (name, schema + 1) in self._classes:
            schema += 1
            fields = self._upcasts[name, schema](fields)
        return msgspec.convert(fields, type=self._classes[name, schema])

    def pairs(self) -> Mapping[tuple[str, int], type[Event]]:
        """Every registered (name, schema) with its class."""
        return dict(self._classes)


registry = Registry()


def register_all(*classes: type[Event]) -> None:
    """Register classes whose stored name is their own and whose schema is 1."""
    for cls in classes:
        registry.register(cls.__name__, 1, cls)
