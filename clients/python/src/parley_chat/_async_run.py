"""Gives the items of the inbox to a handler, in tasks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from . import _calls
from ._async_http import AsyncHttp
from ._calls import LARGEST_PAGE, InboxFilter
from ._deliveries import Deliveries, is_dropped, log_failure
from ._stopped import QUEUED_MAX, StoppedItems
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
        # Reading goes on while all slots are taken, because a notice may stop what takes them.
        self._queue = asyncio.Semaphore(QUEUED_MAX)
        self._deliveries = Deliveries()
        self._stopped = StoppedItems()
        self._calls: dict[int, asyncio.Future[object]] = {}

    async def read(self, only: InboxFilter) -> None:
        """Reads items and begins to handle each, until stopped."""
        while True:
            read = self._deliveries.next_read(time.monotonic())
            call = _calls.inbox(only, after_item_id=read.after_item_id, limit=LARGEST_PAGE, wait=read.wait)
            page = await self._http.poll(call)
            if page is None:
                return
            items = self._deliveries.admit(read, page["items"], time.monotonic())
            for item_id in self._stopped.hear(items):
                self._calls[item_id].cancel()
            for item in items:
                await self._queue.acquire()
                if self._http.is_stopped:
                    return
                task = asyncio.ensure_future(self._work(item))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)

    async def _work(self, item: InboxItem) -> None:
        try:
            async with self._slots:
                if not self._http.is_stopped:
                    await self._handle(item)
        except Exception as error:
            self.error = self.error or error
            self.problem.set()
        finally:
            self._queue.release()

    async def _handle(self, item: InboxItem) -> None:
        """Handles an item and acknowledges it. Raises ParleyError if the key is refused."""
        self._stopped.begin(item)
        try:
            call = self._calls[item["item_id"]] = asyncio.ensure_future(self._on_item(item))
            await call
        except asyncio.CancelledError:
            if not self._stopped.has(item):
                self._failed(item)
                raise
        except Exception as error:
            if not self._stopped.has(item) and not is_dropped(item, error, self._on_error, self._failed):
                return
        finally:
            self._stopped.end(item)
            self._calls.pop(item["item_id"], None)
        answer = await self._http.poll(_calls.ack_items([item["item_id"]]), is_owed=True)
        if answer is not None:
            self._deliveries.acknowledged(item["item_id"], time.monotonic())

    def _failed(self, item: InboxItem) -> None:
        self._deliveries.failed(item["item_id"], time.monotonic())
