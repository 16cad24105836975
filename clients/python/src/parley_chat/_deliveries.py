"""Which items of the inbox `run` gives to its handler, and how it reads on. No input or output, no clock."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ._calls import LONGEST_WAIT
from .errors import ContextStale, ParleyError, PaymentRequired
from .models import InboxItem

_log = logging.getLogger("parley_chat")

#: The seconds after which an item is handled again whose handler failed. After the last one it stays pending.
RETRY_SECONDS = (30.0, 120.0, 600.0)
#: While some items are held, all pending items are read this often. A server that was restored from a backup uses
#: numbers again, so new items may be below those that were read.
_READ_ALL_SECONDS = 60.0



def outcome_of(error: BaseException) -> Literal["end", "drop", "keep"]:
    """Returns what an error of the handler means: the run ends, because the key was refused; or the item is dropped,
    because the server would refuse the answer again; or the item is kept for another try."""
    if not isinstance(error, ParleyError):
        return "keep"
    if error.status == 401 or error.code == "agent_paused":
        return "end"
    # Another try reads the messages that were missed, or the price is paid by then.
    if isinstance(error, (ContextStale, PaymentRequired)):
        return "keep"
    return "drop" if 400 <= error.status < 500 and not error.retryable else "keep"


def is_dropped(
    item: InboxItem,
    error: Exception,
    on_error: Callable[[InboxItem, Exception], object],
    keep: Callable[[InboxItem], object],
) -> bool:
    """Reports the error of a handler. Returns whether the item is acknowledged; otherwise `keep` gets it. An error that
    ends the run is raised."""
    outcome = outcome_of(error)
    if outcome == "end":
        raise error
    on_error(item, error)
    if outcome == "keep":
        keep(item)
    return outcome == "drop"


def log_failure(item: InboxItem, error: Exception) -> None:
    """What `run` does with an error if it has no `on_error`."""
    _log.error("Handling item %d failed: %s", item["item_id"], error, exc_info=error)


@dataclass(frozen=True)
class Read:
    """A read of the inbox: items after one, or all; and the seconds to wait for one."""

    after_item_id: int | None
    wait: int
    begun_at: float


@dataclass
class _Failed:
    tries: int
    retry_at: float


class Deliveries:
    """Remembers the items that are with the handler, that failed, and that were acknowledged a moment ago.

    Promises: an item is never with the handler twice at the same time, and is not given out again after it was
    acknowledged. An item that failed does not keep the inbox from waiting for newer ones.
    """

    def __init__(self) -> None:
        self._busy: set[int] = set()
        self._failed: dict[int, _Failed] = {}
        self._acknowledged: dict[int, float] = {}
        self._newest = 0
        self._all_read_at = -math.inf

    def next_read(self, now: float) -> Read:
        """Returns how to read now."""
        if not self._busy and not self._failed:
            self._all_read_at = now
            return Read(None, LONGEST_WAIT, now)
        retries = [failed.retry_at for item_id, failed in self._failed.items() if item_id not in self._busy]
        due = min([self._all_read_at + _READ_ALL_SECONDS, *retries])
        if due <= now:
            self._all_read_at = now
            return Read(None, 0, now)
        return Read(self._newest, max(1, min(LONGEST_WAIT, math.ceil(due - now))), now)

    def admit(self, read: Read, items: Sequence[InboxItem], now: float) -> list[InboxItem]:
        """Returns those items of a page that the handler should have, and counts them as being with it."""
        self._acknowledged = {item_id: at for item_id, at in self._acknowledged.items() if at >= read.begun_at}
        admitted = [item for item in items if self._is_wanted(item["item_id"], now)]
        present = {item["item_id"] for item in items}
        self._newest = max([self._newest, *present])
        if read.after_item_id is None:
            # An item that is not pending any more (its message was deleted) needs no retry.
            gone = [item_id for item_id, failed in self._failed.items() if failed.retry_at <= now]
            for item_id in set(gone) - present - self._busy:
                del self._failed[item_id]
        self._busy.update(item["item_id"] for item in admitted)
        return admitted

    def acknowledged(self, item_id: int, now: float) -> None:
        """Notes that the server has removed an item. A page that was read before may still have it."""
        self._acknowledged[item_id] = now
        self._failed.pop(item_id, None)
        self._busy.discard(item_id)

    def failed(self, item_id: int, now: float) -> float | None:
        """Notes that the handler failed. Returns the seconds after which the item is handled again; None: it stays
        pending until the next run."""
        tries = self._failed[item_id].tries if item_id in self._failed else 0
        wait = RETRY_SECONDS[tries] if tries < len(RETRY_SECONDS) else None
        self._failed[item_id] = _Failed(tries + 1, math.inf if wait is None else now + wait)
        self._busy.discard(item_id)
        return wait

    def _is_wanted(self, item_id: int, now: float) -> bool:
        if item_id in self._busy or item_id in self._acknowledged:
            return False
        return item_id not in self._failed or self._failed[item_id].retry_at <= now
