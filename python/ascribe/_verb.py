"""What all verbs have in common: the keyword arguments that they share are checked by name, and shown by `help`."""

from __future__ import annotations

import difflib
import functools
import inspect
import os
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ._asking import Asked, Working, check_working
from ._settings import MethodSettings
from .errors import ArgumentError

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = (Asked, Working, MethodSettings)
_WORKING = Working.__annotations__.keys()


def verb(shared: type) -> Callable[[F], F]:
    """For functions of Model with `**arguments: Unpack[shared]`: what the model was loaded with holds unless it is said
    otherwise (threads, seed, progress)."""

    def decorate(function: F) -> F:
        known = _names(function, shared)

        @functools.wraps(function)
        def asked(self: Any, *positional: Any, **arguments: Any) -> Any:
            check_names(function.__name__, arguments, known)
            for name in self.defaults.keys() & _WORKING:
                arguments.setdefault(name, self.defaults[name])
            try:
                return function(self, *positional, **arguments)
            except TypeError as error:
                if refusal := _no_text(function.__name__, (positional, arguments)):
                    raise refusal from error
                raise

        return _described(asked, function, shared)

    return decorate


def checked(shared: type) -> Callable[[F], F]:
    """For functions that make a model, with `**arguments: Unpack[shared]` for its questions."""

    def decorate(function: F) -> F:
        known = _names(function, shared)

        @functools.wraps(function)
        def asked(*positional: Any, **arguments: Any) -> Any:
            check_names(function.__name__, arguments, known)
            check_working(arguments)
            try:
                return function(*positional, **arguments)
            except TypeError as error:
                if refusal := _no_text(function.__name__, (positional, arguments)):
                    raise refusal from error
                raise

        return _described(asked, function, shared)

    return decorate


def check_names(where: str, arguments: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuses a keyword argument that there is not. A setting of one method has a dot: "shapley.samples"."""
    for name in arguments:
        if name not in known and not ("." in name and "settings" in known):
            raise ArgumentError(f"{where}: {there_is_no('argument', name, known)}")


def _no_text(where: str, value: Any) -> ArgumentError | None:
    """About the first text in arguments that the engine cannot be given: Python writes bytes of a file's name that are
    not UTF-8 as halves of characters. None: there is none."""
    if isinstance(value, Mapping):
        value = [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple)):
        return next(filter(None, (_no_text(where, one) for one in value)), None)
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
        return ArgumentError(f"{where}: got {text!a}, which is not UTF-8; expected text that is (a file of such a name "
                             "can be read through a link of another name)")
    return None


def there_is_no(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence about a name that is not among those there are."""
    names = list(known)
    close = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean '{close[0]}'? There" if close else "there"
    return f"there is no {what} '{name}'; {hint} are {', '.join(names)}"


def _names(function: Callable[..., Any], shared: type) -> dict[str, None]:
    """In order; a dict is a set that has one."""
    own = [one.name for one in _own(function) if one.name != "self"]
    return dict.fromkeys([*own, *_keys(shared)])


def _keys(shared: type) -> list[str]:
    return [name for part in _parts(shared) for name in part.__annotations__]


def _parts(shared: type) -> list[type]:
    """Those of the shared kinds of arguments that it is made of."""
    names = set(shared.__annotations__)
    return [part for part in _SHARED if names >= set(part.__annotations__)]


def _own(function: Callable[..., Any]) -> list[inspect.Parameter]:
    parameters = inspect.signature(function).parameters.values()
    return [one for one in parameters if one.kind is not inspect.Parameter.VAR_KEYWORD]


def _described(asked: Any, function: F, shared: type) -> F:
    own = _own(function)
    taken = {one.name for one in own}
    more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(part, name))
            for part in _parts(shared) for name in part.__annotations__ if name not in taken]
    asked.__signature__ = inspect.signature(function).replace(parameters=[*own, *more])
    asked.__doc__ = "\n\n".join([inspect.cleandoc(function.__doc__ or ""), *map(_section, _parts(shared))]) + "\n"
    described: F = asked
    return described


def _annotation(part: type, name: str) -> str:
    annotation: Any = part.__annotations__[name]
    return str(getattr(annotation, "__forward_arg__", annotation))


def _section(part: type) -> str:
    text = inspect.cleandoc(part.__doc__ or "")
    if part is MethodSettings:
        names = ", ".join(name for name in part.__annotations__ if name != "settings")
        text += "\n" + textwrap.fill(names, 110)
    return text
