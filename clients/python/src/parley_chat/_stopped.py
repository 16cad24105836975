"""Which items a person has stopped while they are handled. No input or output, no clock."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from .models import InboxItem

#: The items that wait for their handler, beyond which `run` reads no more.
QUEUED_MAX = 1_000


class StoppedItems:
    """Remembers the items that are being handled, and those of them whose work a person has stopped. Threads may share
    it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._handled: dict[int, InboxItem] = {}
        self._stopped: set[int] = set()

    def begin(self, item: InboxItem) -> None:
        with self._lock:
            self._handled[item["item_id"]] = item

    def end(self, item: InboxItem) -> None:
        with self._lock:
            self._handled.pop(item["item_id"], None)
            self._stopped.discard(item["item_id"])

    def has(self, item: InboxItem) -> bool:
        with self._lock:
            return item["item_id"] in self._stopped

    def hear(self, items: Iterable[InboxItem]) -> list[int]:
        """Returns the ids of the handled items that are stopped by notices among these items."""
        with self._lock:
            found = [
                item_id
                for notice in items
                for item_id, handled in self._handled.items()
                if item_id not in self._stopped and _stops(notice, handled)
            ]
            self._stopped.update(found)
        return found


def _stops(item: InboxItem, handled: InboxItem) -> bool:
    """True if an item says that a person has stopped what the agent does for another one (protocol §16.4)."""
    notice, message = item["notice"], handled["chat_message"]
    if item["kind"] != "notice" or notice is None or notice.get("type") != "stopped" or message is None:
        return False
    if item["channel_id"] != handled["channel_id"]:
        return False
    root = (notice.get("details") or {}).get("thread_root_id")
    return root in (message["id"], message.get("thread_root_id"))
