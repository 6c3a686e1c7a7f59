"""Reading of JSON objects by their fields: a mistake is answered with its place and, where one is near, the right word."""

import difflib
from pathlib import Path
from typing import Any, Callable, Iterable

from .errors import UsageError
from .strict_json import NotJson, Pairs, parse_json

_NOT_GIVEN = object()


def suggestion(word: str, known: Iterable[str]) -> str:
    """' (did you mean X?)' when one of the known words is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def load_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises UsageError when there is none, or when a key occurs twice in an object."""

    def without_duplicates(pairs: Pairs) -> dict[str, Any]:
        names = [name for name, _ in pairs]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"{path}: '{name}' is given twice in one object")
        return dict(pairs)

    try:
        value = parse_json(path.read_text(encoding="utf-8-sig"), without_duplicates)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text") from error
    except NotJson as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} holds no JSON object")
    return value


class Fields:
    """The fields of one object. Each is taken by a call that says what it must be; done() refuses fields that no call took."""

    def __init__(self, where: str, value: Any):
        if not isinstance(value, dict):
            raise UsageError(f"{where} must be an object")
        self.where = where
        self._value = value
        self._known: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._value

    def fail(self, sentence: str) -> UsageError:
        return UsageError(f"{self.where}: {sentence}")

    def any(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        self._known.append(name)
        if name in self._value:
            return self._value[name]
        if default is _NOT_GIVEN:
            raise self.fail(f"'{name}' is missing")
        return default

    def text(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        return self._typed(name, default, "a text that is not empty", lambda value: isinstance(value, str) and value != "")

    def flag(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        return self._typed(name, default, "true or false", lambda value: isinstance(value, bool))

    def number(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        return self._typed(name, default, "a number", is_number)

    def whole(self, name: str, low: int, default: Any = _NOT_GIVEN) -> Any:
        right = lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= low  # noqa: E731
        return self._typed(name, default, f"a whole number of at least {low}", right)

    def choice(self, name: str, choices: Iterable[str], default: Any = _NOT_GIVEN) -> Any:
        """One of the choices, of which case does not count."""
        choices = list(choices)
        value = self.text(name, default)
        if value is default or value in choices:
            return value
        for choice in choices:
            if choice.lower() == value.lower():
                return choice
        raise self.fail(f"'{name}' cannot be '{value}'{suggestion(value, choices)}: choose among {', '.join(choices)}")

    def items(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        return self._typed(name, default, "a list", lambda value: isinstance(value, list))

    def object(self, name: str) -> dict[str, Any]:
        return self._typed(name, {}, "an object", lambda value: isinstance(value, dict))

    def texts(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        right = (
            lambda value: isinstance(value, list) and value != [] and all(isinstance(item, str) for item in value)
        )  # noqa: E731
        return self._typed(name, default, "a list of texts", right)

    def done(self) -> None:
        for name in self._value:
            if name not in self._known:
                raise self.fail(
                    f"there is no field '{name}'{suggestion(name, self._known)}; known are {', '.join(self._known)}"
                )

    def _typed(self, name: str, default: Any, what: str, right: Callable[[Any], bool]) -> Any:
        value = self.any(name, default)
        if name in self._value and not right(value):
            raise self.fail(f"'{name}' must be {what}")
        return value


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
