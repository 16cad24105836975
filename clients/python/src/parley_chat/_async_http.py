"""Makes calls over httpx, for asyncio."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from ssl import SSLContext
from typing import Any, TypeVar

import httpx

from ._answers import Credentials
from ._calls import Call
from ._failures import failures_named, timeouts
from ._retries import RetryPolicy
from .errors import ParleyError

T = TypeVar("T")


class AsyncHttp:
    """Makes calls and retries them where that is safe. Cancelling a task ends its call or wait at once."""

    def __init__(
        self, credentials: Credentials, retries: RetryPolicy, timeout: float, verify: SSLContext | bool
    ) -> None:
        self.retries = retries
        self._credentials = credentials
        self._timeout = timeout
        self._client = httpx.AsyncClient(headers=credentials.headers, verify=verify)
        self._stopped = asyncio.Event()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """Ends every wait, now and later."""
        self._stopped.set()

    async def close(self) -> None:
        """Ends the waits and closes the connections."""
        self.stop()
        await self._client.aclose()

    async def call(self, call: Call) -> Any:
        """Returns the body of the answer. Raises ParleyError."""
        retries = 0
        while True:
            try:
                return await self.attempt(call)
            except ParleyError as error:
                wait = self.retries.before_retry(call, error, retries, random.random())
                if wait is None:
                    raise
                await self.pause(wait)
                if self.is_stopped:
                    raise
                retries += 1

    async def poll(self, call: Call, *, is_owed: bool = False) -> Any:
        """Returns the body of the answer, however long that takes. Raises ParleyError if trying again cannot help.

        Returns None if it is stopped first. A call that is owed is made once even then, and completed.
        """
        failures = 0
        while is_owed or not self.is_stopped:
            try:
                return await (self.attempt(call) if is_owed else self.unless_stopped(self.attempt(call)))
            except ParleyError as error:
                if self.is_stopped:
                    break
                wait = self.retries.before_next_poll(error, failures, random.random())
                if wait is None:
                    raise
                await self.pause(wait)
                is_owed = is_owed and not self.is_stopped
                failures += 1
        return None

    async def attempt(self, call: Call) -> Any:
        """Sends the call once. Raises ParleyError; also if the answer breaks off or is not complete in time."""
        limit = self._timeout + call.seconds
        with failures_named(call):
            try:
                response, content = await asyncio.wait_for(self._exchange(call, limit), limit)
            except asyncio.TimeoutError as error:
                raise httpx.ReadTimeout("The answer is too slow.") from error
        return self._credentials.body_of(response.status_code, response.headers.get("retry-after"), content)

    async def download(self, call: Call, write: Callable[[bytes], object]) -> None:
        """Writes the bytes of the answer, piece by piece. Raises ParleyError; what was written by then is useless."""
        with failures_named(call):
            # A server that keeps its files elsewhere redirects; httpx does not send the key to another host.
            async with self._open(call, self._timeout, {}, follows=True) as response:
                if response.status_code != 200:
                    retry_after = response.headers.get("retry-after")
                    self._credentials.body_of(response.status_code, retry_after, await response.aread())
                async for chunk in response.aiter_bytes():
                    write(chunk)

    @asynccontextmanager
    async def stream(self, call: Call, headers: dict[str, str], silence: float) -> AsyncIterator[AsyncIterator[bytes]]:
        """Opens an answer that has no end, and gives its bytes as they arrive. Raises ParleyError if the server refuses
        it or the connection breaks or is silent for `silence` seconds."""
        with failures_named(call):
            async with self._open(call, silence, headers) as response:
                if response.status_code != 200:
                    retry_after = response.headers.get("retry-after")
                    self._credentials.body_of(response.status_code, retry_after, await response.aread())
                yield response.aiter_bytes()

    async def next_of(self, chunks: AsyncIterator[bytes]) -> bytes | None:
        """Returns the next bytes of a stream, or None at its end or if it was stopped first."""
        return await self.unless_stopped(anext(chunks, None))

    async def pause(self, seconds: float) -> None:
        """Waits for the time or the stop."""
        await self.unless_stopped(asyncio.sleep(seconds))

    async def unless_stopped(self, work: Awaitable[T]) -> T | None:
        """Returns the result of the work, or None if it was stopped first, and cancelled."""
        task = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            stopped.cancel()
            await asyncio.gather(task, stopped, return_exceptions=True)

    async def _exchange(self, call: Call, limit: float) -> tuple[httpx.Response, bytes]:
        async with self._open(call, limit, {}) as response:
            return response, await response.aread()

    @asynccontextmanager
    async def _open(
        self, call: Call, read_seconds: float, headers: dict[str, str], *, follows: bool = False
    ) -> AsyncIterator[httpx.Response]:
        with call.payload() as payload:
            async with self._client.stream(
                call.method,
                self._credentials.url + call.target,
                **payload,
                headers=headers | call.headers,
                timeout=timeouts(read_seconds, self._timeout),
                follow_redirects=follows,
            ) as response:
                yield response
