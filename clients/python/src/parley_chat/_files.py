"""What is uploaded, and where downloads are written. No network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from .errors import ParleyError
from .models import FileRecord

FilePath = str | os.PathLike[str]
#: A path, or bytes, which need a name.
Source = str | os.PathLike[str] | bytes

#: Bytes that `read_file` accepts by default: the largest file of a server that does not set another limit.
LARGEST_FILE = 25 * 1024 * 1024


@dataclass(frozen=True)
class Upload:
    """The body of an upload. It can be sent again: each attempt opens the file anew, and nothing holds all of it."""

    source: Path | bytes
    name: str
    alt_text: str | None
    #: JSON that says that it is a voice note.
    voice: str | None = None

    @contextmanager
    def opened(self) -> Iterator[dict[str, Any]]:
        """Yields the arguments for a request of httpx. Raises OSError if the file cannot be read."""
        texts = {"alt_text": self.alt_text, "voice": self.voice}
        described = [(field, (None, text)) for field, text in texts.items() if text is not None]
        if isinstance(self.source, bytes):
            yield {"files": [("file", (self.name, self.source)), *described]}
            return
        with self.source.open("rb") as file:
            yield {"files": [("file", (self.name, file)), *described]}


def upload_of(file: Source, name: str | None, alt_text: str | None) -> Upload:
    """Describes the upload of a file, or of bytes. Raises ValueError if bytes have no name."""
    if isinstance(file, bytes):
        if name is None:
            raise ValueError("Bytes need a name, such as chart.png.")
        return Upload(file, name, alt_text)
    path = Path(file)
    return Upload(path, name or path.name, alt_text)


def file_id_of(file: FileRecord | int) -> int:
    return file if isinstance(file, int) else file["file_id"]


class Limited:
    """Collects the bytes of a download. Raises ParleyError above `most`."""

    def __init__(self, most: int) -> None:
        self.content = bytearray()
        self._most = most

    def write(self, chunk: bytes) -> None:
        if len(self.content) + len(chunk) > self._most:
            raise ParleyError("file_too_large", f"The file has more than {self._most} bytes. Pass a larger max_bytes.")
        self.content += chunk


@contextmanager
def written(path: FilePath) -> Iterator[BinaryIO]:
    """Opens a new file beside `path` and renames it to `path` at the end, so that a broken download leaves nothing."""
    target = Path(path)
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
