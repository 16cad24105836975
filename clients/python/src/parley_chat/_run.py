"""Gives the items of the inbox to a handler, in threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from . import _calls
from ._calls import LARGEST_PAGE, InboxFilter
from ._deliveries import Deliveries, is_dropped, log_failure
from ._http import Http
from ._stopped import QUEUED_MAX, StoppedItems
from .models import InboxItem

OnItem = Callable[[InboxItem], object]
OnError = Callable[[InboxItem, Exception], object]


def run(
    http: Http, stopped: StoppedItems, only: InboxFilter, on_item: OnItem, concurrency: int, on_error: OnError | None
) -> None:
    """Handles items until `http.stop`. One at a time is handled in the calling thread. See `Agent.run`."""
    if concurrency < 1:
        raise ValueError("concurrency must be at least 1.")
    runner = _Runner(http, stopped, on_item, on_error or log_failure)
    if concurrency == 1:
        runner.read(only, runner.handle)
    else:
        # Reading goes on while all threads are busy, because a notice may stop what keeps them so.
        queue = threading.BoundedSemaphore(QUEUED_MAX)
        with ThreadPoolExecutor(concurrency, "parley-item") as pool:
            runner.read(only, lambda item: runner.handle_in(pool, queue, item))
    runner.raise_problem()


class _Runner:
    def __init__(self, http: Http, stopped: StoppedItems, on_item: OnItem, on_error: OnError) -> None:
        self._http = http
        self._stopped = stopped
        self._on_item = on_item
        self._on_error = on_error
        self._deliveries = Deliveries()
        self._lock = threading.Lock()
        self._problem: BaseException | None = None

    def read(self, only: InboxFilter, begin: Callable[[InboxItem], None]) -> None:
        """Reads items and begins to handle each, until stopped or until there is a problem."""
        while True:
            with self._lock:
                read = self._deliveries.next_read(time.monotonic())
            call = _calls.inbox(only, after_item_id=read.after_item_id, limit=LARGEST_PAGE, wait=read.wait)
            page = self._http.poll(call, is_over=self._is_over)
            if page is None:
                return
            with self._lock:
                items = self._deliveries.admit(read, page["items"], time.monotonic())
            self._stopped.hear(items)
            for item in items:
                if self._is_over():
                    return
                begin(item)

    def handle_in(self, pool: ThreadPoolExecutor, queue: threading.BoundedSemaphore, item: InboxItem) -> None:
        """Handles an item in a thread, as soon as one is free."""
        queue.acquire()

        def work() -> None:
            try:
                if not self._is_over():
                    self.handle(item)
            except BaseException as error:
                self._end(error)
            finally:
                queue.release()

        pool.submit(work)

    def handle(self, item: InboxItem) -> None:
        """Handles an item and acknowledges it. Raises ParleyError if the key is refused."""
        self._stopped.begin(item)
        try:
            self._on_item(item)
        except Exception as error:
            if not self._stopped.has(item) and not is_dropped(item, error, self._on_error, self._failed):
                return
        finally:
            self._stopped.end(item)
        answer = self._http.poll(_calls.ack_items([item["item_id"]]), is_owed=True)
        if answer is not None:
            with self._lock:
                self._deliveries.acknowledged(item["item_id"], time.monotonic())

    def _failed(self, item: InboxItem) -> None:
        with self._lock:
            self._deliveries.failed(item["item_id"], time.monotonic())

    def raise_problem(self) -> None:
        """Raises what ended the run, if anything did."""
        if self._problem is not None:
            raise self._problem

    def _end(self, problem: BaseException) -> None:
        self._problem = self._problem or problem
        # The reader may wait for items.
        self._http.stop.cut()

    def _is_over(self) -> bool:
        return self._problem is not None or self._http.stop.is_set
