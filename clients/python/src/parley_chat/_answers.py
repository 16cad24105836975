"""What the server's answers mean, and the requests' headers. No input or output."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from .errors import ParleyError, error_from_body, is_error_body

_KEY = re.compile(r"[\x21-\x7e]{1,512}")


class Credentials:
    """The server's address and the agent's key, which is in no text that this object gives.

    Raises ValueError if the address is not one of http or https, or the key has characters that no key has.
    """

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
            raise ValueError("url must look like https://chat.example.org, without a user name.")
        if parts.query or parts.fragment or parts.port == 0:
            raise ValueError("url must not have a query or a fragment.")
        key = key.strip()
        if _KEY.fullmatch(key) is None:
            raise ValueError("key must be an agent's key, such as ply_...")
        self.url = url.rstrip("/")
        self._key = key

    def __repr__(self) -> str:
        return f"Credentials({self.url!r})"

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        return {"Authorization": f"Bearer {self._key}", "User-Agent": "parley-chat-python"}

    def body_of(self, status: int, retry_after: str | None, content: bytes) -> Any:
        """Returns the body of a success. Raises ParleyError for anything else."""
        is_success = 200 <= status < 300
        # A server or proxy that repeats what it was sent must not bring the key into an error's text.
        body = _parsed(content if is_success else content.replace(self._key.encode(), b"[key]"))
        if is_success and isinstance(body, dict):
            return body
        seconds = float(retry_after) if retry_after is not None and retry_after.strip().isdecimal() else None
        if not is_success and is_error_body(body):
            raise error_from_body(body, status, seconds)
        text = f"The answer with status {status} is not one of a Parley server."
        raise ParleyError("invalid_answer", text, status=status, retry_after=seconds)


def _parsed(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
