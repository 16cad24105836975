"""Gives the items of the inbox to a handler, in tasks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from . import _calls
from ._async_http import AsyncHttp
from ._calls import LARGEST_PAGE, InboxFilter
from ._deliveries import Deliveries, log_failure, outcome_of
from .models import InboxItem

OnItem = Callable[[InboxItem], Awaitable[object]]
OnError = Callable[[InboxItem, Exception], object]


async def run(http: AsyncHttp, only: InboxFilter, on_item: OnItem, concurrency: int, on_error: OnError | None) -> None:
    """Handles items until `http` is stopped. See `AsyncAgent.run`."""
    if concurrency < 1:
        raise ValueError("concurrency must be at least 1.")
    runner = _Runner(http, on_item, on_error or log_failure, concurrency)
    reading = asyncio.ensure_future(runner.read(only))
    failing = asyncio.ensure_future(runner.problem.wait())
    try:
        await asyncio.wait({reading, failing}, return_when=asyncio.FIRST_COMPLETED)
        if reading.done():
            reading.result()
            # Stopped: what is being handled is finished.
            await asyncio.gather(*runner.tasks, return_exceptions=True)
    finally:
        for task in (reading, failing, *runner.tasks):
            task.cancel()
        await asyncio.gather(reading, failing, *runner.tasks, return_exceptions=True)
    if runner.error is not None:
        raise runner.error


class _Runner:
    def __init__(self, http: AsyncHttp, on_item: OnItem, on_error: OnError, concurrency: int) -> None:
        self.problem = asyncio.Event()
        self.error: BaseException | None = None
        self.tasks: set[asyncio.Task[None]] = set()
        self._http = http
        self._on_item = on_item
        self._on_error = on_error
        self._slots = asyncio.Semaphore(concurrency)
        self._deliveries = Deliveries()

    async def read(self, only: InboxFilter) -> None:
        """Reads items and begins to handle each, until stopped."""
        while True:
            read = self._deliveries.next_read(time.monotonic())
            call = _calls.inbox(only, after_item_id=read.after_item_id, limit=LARGEST_PAGE, wait=read.wait)
            page = await self._http.poll(call)
            if page is None:
                return
            for item in self._deliveries.admit(read, page["items"], time.monotonic()):
                await self._slots.acquire()
                if self._http.is_stopped:
                    return
                task = asyncio.ensure_future(self._work(item))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)

    async def _work(self, item: InboxItem) -> None:
        try:
            await self._handle(item)
        except Exception as error:
            self.error = self.error or error
            self.problem.set()
        finally:
            self._slots.release()

    async def _handle(self, item: InboxItem) -> None:
        """Handles an item and acknowledges it. Raises ParleyError if the key is refused."""
        try:
            await self._on_item(item)
        except asyncio.CancelledError:
            self._deliveries.failed(item["item_id"], time.monotonic())
            raise
        except Exception as error:
            outcome = outcome_of(error)
            if outcome == "end":
                raise
            self._on_error(item, error)
            if outcome == "keep":
                self._deliveries.failed(item["item_id"], time.monotonic())
                return
        answer = await self._http.poll(_calls.ack_items([item["item_id"]]), is_owed=True)
        if answer is not None:
            self._deliveries.acknowledged(item["item_id"], time.monotonic())
