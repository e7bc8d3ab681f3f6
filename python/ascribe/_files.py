"""Results as files: an .npz archive of arrays with a JSON document among them, without pickle."""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from . import _engine
from .errors import FileError

_DOCUMENT = "document.json"
_FORMAT = 1

Arrays = dict[str, np.ndarray]
T = TypeVar("T", bound="Saved")


class Saved:
    """Results that can be saved and loaded; what comes back has the same bits."""

    def save(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes a file of arrays and a document (.npz), all of it or nothing. A file that is there already is kept
        unless `overwrite` says otherwise.

        >>> e.save("boot.npz")
        >>> ascribe.Explanation.load("boot.npz").values
        """
        document, arrays = self._state()
        write(os.fspath(path), type(self).__name__, document, arrays, overwrite)

    @classmethod
    def load(cls: type[T], path: str | os.PathLike[str]) -> T:
        """What `save` wrote.

        >>> ascribe.Explanation.load("boot.npz")
        """
        document, arrays = read(os.fspath(path), cls.__name__)
        try:
            return cls._of_state(document, arrays)
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise FileError(f"{path}: a part of the file is missing or not as it was written ({error!r})") from None

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        raise NotImplementedError

    @classmethod
    def _of_state(cls: type[T], document: dict[str, Any], arrays: Arrays) -> T:
        raise NotImplementedError


def write(path: str, kind: str, document: Mapping[str, Any], arrays: Mapping[str, np.ndarray], overwrite: bool) -> None:
    """A file of this kind of result, which is there as a whole or not at all."""
    if os.path.exists(path) and not overwrite:
        raise FileError(f"{path}: it is there already; overwrite=True replaces it")
    text = json.dumps({"ascribe": _engine.version(), "format": _FORMAT, "kind": kind, **document})
    unfinished = f"{path}.{os.getpid()}.part"
    try:
        with open(unfinished, "xb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(_DOCUMENT, text)
            for name, array in arrays.items():
                with archive.open(name + ".npy", "w", force_zip64=True) as entry:
                    np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)
        os.replace(unfinished, path)
    except OSError as error:
        raise FileError(f"{path}: it cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)


def read(path: str, kind: str) -> tuple[dict[str, Any], Arrays]:
    """The document and the arrays of a file of this kind of result."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if _DOCUMENT not in names:
                raise FileError(f"{path}: nothing that ascribe saved; expected a file of {kind}.save")
            document = json.loads(archive.read(_DOCUMENT))
            _check(path, document, kind)
            return document, {name.removesuffix(".npy"): _array(archive, name) for name in names if name != _DOCUMENT}
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{path}: it cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, EOFError, ValueError, zlib.error) as error:
        raise FileError(f"{path}: a broken file, or none that ascribe saved ({error})") from None


def _array(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    with archive.open(name) as entry:
        return np.lib.format.read_array(entry, allow_pickle=False)


def _check(path: str, document: Any, kind: str) -> None:
    if not isinstance(document, dict) or "kind" not in document:
        raise FileError(f"{path}: nothing that ascribe saved; expected a file of {kind}.save")
    if document.get("format") != _FORMAT:
        raise FileError(f"{path}: saved by ascribe {document.get('ascribe')} in another format; expected format "
                        f"{_FORMAT}")
    if document["kind"] != kind:
        raise FileError(f"{path}: it holds {_article(document['kind'])}; ascribe.{document['kind']}.load reads it")


def _article(kind: Any) -> str:
    return f"{'an' if str(kind)[:1] in 'AE' else 'a'} {kind}"
