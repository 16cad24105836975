"""Makes calls over httpx, for threads."""

from __future__ import annotations

import random
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ssl import SSLContext
from typing import Any

import httpx

from ._answers import Credentials
from ._calls import Call
from ._failures import failures_named, timeouts
from ._retries import RetryPolicy
from ._stop import Stop
from .errors import ParleyError


class Http:
    """Makes calls and retries them where that is safe. Many threads may share it.

    Calls that the server holds open have connections of their own, which `stop` breaks. The others are completed.
    `close` ends the waits and closes the connections.
    """

    def __init__(
        self, credentials: Credentials, retries: RetryPolicy, timeout: float, verify: SSLContext | bool
    ) -> None:
        self.stop = Stop()
        self.retries = retries
        self._credentials = credentials
        self._timeout = timeout
        # Loading the certificates takes a tenth of a second, so it is done once.
        context = verify if isinstance(verify, SSLContext) else httpx.create_ssl_context(verify=verify)
        self._short = httpx.Client(headers=credentials.headers, verify=context)
        self._held = httpx.Client(headers=credentials.headers, verify=context)
        # Also closes what nobody closed: when no agent and no loop uses it any more, and when the program ends.
        self.close = weakref.finalize(self, _close, self.stop, self._short, self._held)

    def call(self, call: Call) -> Any:
        """Returns the body of the answer. Raises ParleyError."""
        retries = 0
        while True:
            try:
                return self.attempt(call)
            except ParleyError as error:
                wait = self.retries.before_retry(call, error, retries, random.random())
                if wait is None or self.stop.wait(wait):
                    raise
                retries += 1

    def poll(self, call: Call, *, is_owed: bool = False, is_over: Callable[[], bool] = lambda: False) -> Any:
        """Returns the body of the answer, however long that takes. Raises ParleyError if trying again cannot help.

        Returns None if it is stopped or `is_over` first. A call that is owed is made once even then.
        """
        failures = 0
        while is_owed or not (self.stop.is_set or is_over()):
            is_owed = False
            try:
                return self.attempt(call)
            except ParleyError as error:
                if self.stop.is_set or is_over():
                    break
                wait = self.retries.before_next_poll(error, failures, random.random())
                if wait is None:
                    raise
                self.stop.wait(wait)
                failures += 1
        return None

    def attempt(self, call: Call) -> Any:
        """Sends the call once. Raises ParleyError; also if the answer breaks off or is not complete in time."""
        limit = self._timeout + call.seconds
        deadline = time.monotonic() + limit
        with failures_named(call):
            with self._open(call, limit, {}) as response:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if time.monotonic() > deadline:
                        raise httpx.ReadTimeout("The answer is too slow.")
            return self._credentials.body_of(
                response.status_code, response.headers.get("retry-after"), bytes(content)
            )

    def download(self, call: Call, write: Callable[[bytes], object]) -> None:
        """Writes the bytes of the answer, piece by piece. Raises ParleyError; what was written by then is useless."""
        # A server that keeps its files elsewhere redirects; httpx does not send the key to another host.
        with failures_named(call), self._open(call, self._timeout, {}, follows=True) as response:
            if response.status_code != 200:
                retry_after = response.headers.get("retry-after")
                self._credentials.body_of(response.status_code, retry_after, response.read())
            for chunk in response.iter_bytes():
                write(chunk)

    @contextmanager
    def stream(self, call: Call, headers: dict[str, str], silence: float) -> Iterator[Iterator[bytes]]:
        """Opens an answer that has no end, and gives its bytes as they arrive. Raises ParleyError if the server refuses
        it or the connection breaks or is silent for `silence` seconds."""
        with failures_named(call), self._open(call, silence, headers) as response:
            if response.status_code != 200:
                retry_after = response.headers.get("retry-after")
                self._credentials.body_of(response.status_code, retry_after, response.read())
            yield response.iter_bytes()

    @contextmanager
    def _open(
        self, call: Call, read_seconds: float, headers: dict[str, str], *, follows: bool = False
    ) -> Iterator[httpx.Response]:
        is_held = call.held > 0 or call.is_stream
        with call.payload() as payload, (self._held if is_held else self._short).stream(
            call.method,
            self._credentials.url + call.target,
            **payload,
            headers=headers | call.headers,
            timeout=timeouts(read_seconds, self._timeout),
            follow_redirects=follows,
            extensions={"trace": self.stop.watch} if is_held else {},
        ) as response:
            yield response


def _close(stop: Stop, *clients: httpx.Client) -> None:
    stop.set()
    for client in clients:
        client.close()
