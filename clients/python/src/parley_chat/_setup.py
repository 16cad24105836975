"""Exchanges setup codes for keys."""

from __future__ import annotations

import asyncio
import os
from contextlib import contextmanager, suppress
from collections.abc import Iterator
from ssl import SSLContext
from typing import Any, Protocol, TypeVar
from urllib.parse import unquote, urlsplit

import httpx

from ._answers import Credentials
from .errors import ParleyError

_PATH = "/setup"


class _Made(Protocol):
    def __init__(
        self, url: str, key: str, name: str | None = None, *, timeout: float = 20.0, verify: SSLContext | bool = True
    ) -> None: ...


A = TypeVar("A", bound=_Made)


class SettingUp:
    """The way to an agent without a key."""

    @classmethod
    def setup(
        cls: type[A],
        setup_url: str,
        *,
        key_file: str | os.PathLike[str],
        name: str | None = None,
        timeout: float = 20.0,
        verify: SSLContext | bool = True,
    ) -> A:
        """Exchanges the address of a setup code for a key, once, and returns the agent.

        The key is written to `key_file`, which must not exist yet, and which only its owner can read (mode 0600). The
        file is opened first, so that no code is used for a key that cannot be stored. If the answer is lost, ask the
        agent's owner for another code. Raises ParleyError, ValueError for another address, and OSError for the file.
        """
        key = redeem(setup_url, key_file, timeout, verify)
        return cls(server_of(setup_url)[0], key["api_key"], name or key["agent_name"], timeout=timeout, verify=verify)


class AsyncSettingUp:
    """The same for asyncio."""

    @classmethod
    async def setup(
        cls: type[A],
        setup_url: str,
        *,
        key_file: str | os.PathLike[str],
        name: str | None = None,
        timeout: float = 20.0,
        verify: SSLContext | bool = True,
    ) -> A:
        """`Agent.setup`, to be awaited. A task that is cancelled may have used the code: the file then has the key."""
        key = await asyncio.to_thread(redeem, setup_url, key_file, timeout, verify)
        return cls(server_of(setup_url)[0], key["api_key"], name or key["agent_name"], timeout=timeout, verify=verify)


def server_of(setup_url: str) -> tuple[str, str]:
    """Returns the server and the code in the address of a setup code. Raises ValueError for another address."""
    parts = urlsplit(setup_url)
    path = parts.path.rstrip("/")
    if not path.endswith(_PATH) or not parts.fragment:
        raise ValueError("setup_url must be the address of a setup code, such as https://chat.example.org/setup#...")
    return f"{parts.scheme}://{parts.netloc}{path[: -len(_PATH)]}", unquote(parts.fragment)


def redeem(
    setup_url: str, key_file: str | os.PathLike[str], timeout: float, verify: SSLContext | bool
) -> dict[str, Any]:
    """Exchanges the code, and writes the key to the file. Returns the server's answer."""
    url, code = server_of(setup_url)
    # Checks the address, and keeps the code out of the texts of errors. It is no credential, so no header has it.
    credentials = Credentials(url, code)
    with _new_file(key_file) as file, httpx.Client(verify=verify, timeout=timeout) as client:
        headers = {"User-Agent": credentials.headers["User-Agent"]}
        try:
            answer = client.post(f"{credentials.url}/api/agenthub/setup", json={"code": code}, headers=headers)
        except httpx.TimeoutException as error:
            raise ParleyError("timeout", "The server did not answer in time. The code may have been used.") from error
        except httpx.HTTPError as error:
            raise ParleyError("network_error", f"The server could not be reached: {type(error).__name__}.") from error
        key: dict[str, Any] = credentials.body_of(answer.status_code, answer.headers.get("retry-after"), answer.content)
        os.write(file, f"{key['api_key']}\n".encode())
        return key


@contextmanager
def _new_file(path: str | os.PathLike[str]) -> Iterator[int]:
    """Opens a new file that only its owner can read. Removes it if the key could not be had."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        yield file
    except BaseException:
        if os.fstat(file).st_size == 0:
            with suppress(OSError):
                os.unlink(path)
        raise
    finally:
        os.close(file)
