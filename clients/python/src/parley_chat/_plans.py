"""What the loops of an agent read, hand out and acknowledge, in which order.

A plan is a generator that yields `Fetch`, to which the client answers with the body of the response, and `Give`, whose
item the client yields to the loop of its user. So the same plan serves `Agent` and `AsyncAgent`.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from . import _calls
from ._calls import LARGEST_PAGE, Call, InboxFilter
from .models import ChatMessage, InboxItem, Mention

T = TypeVar("T")


@dataclass(frozen=True)
class Fetch:
    """A call whose answer the plan needs. `is_owed`: it is made even if the loop is stopped by now."""

    call: Call
    is_owed: bool = False


@dataclass(frozen=True)
class Give(Generic[T]):
    """An item for the user's loop. The plan continues when the loop asks for the next one."""

    item: T


Plan = Generator["Fetch | Give[T]", Any, None]


def mentions(name: str, channel: str | None, wait: int) -> Plan[Mention]:
    """Mentions one after the other; each is acknowledged when the loop asks for the next one. Without `wait` the plan
    ends when nothing is pending."""
    while True:
        page = yield Fetch(_calls.mentions(name, channel, wait))
        for mention in page["mentions"]:
            yield Give(mention)
            yield Fetch(_calls.ack_mentions([mention["mention_id"]]), is_owed=True)
        if wait == 0 and not page["mentions"]:
            return


def inbox(only: InboxFilter, after_item_id: int | None, wait: int) -> Plan[InboxItem]:
    """Items one after the other; each is acknowledged when the loop asks for the next one. Without `wait` the plan ends
    when nothing is pending.

    Without `after_item_id`, each read begins with the oldest pending item. With it, items up to that one are left
    alone.
    """
    position = after_item_id
    while True:
        page = yield Fetch(_calls.inbox(only, after_item_id=position, limit=LARGEST_PAGE, wait=wait))
        for item in page["items"]:
            yield Give(item)
            yield Fetch(_calls.ack_items([item["item_id"]]), is_owed=True)
            if position is not None:
                position = max(position, item["item_id"])
        if wait == 0 and not page["items"]:
            return


def messages(channel: str, after_seq: int, wait: int) -> Plan[ChatMessage]:
    """The messages of a channel in order, each once, also when the server is restored from a backup, which begins
    another `epoch` and uses numbers again: then those follow that were sent after the last one given."""
    epoch: str | None = None
    last: ChatMessage | None = None
    while True:
        page = yield Fetch(_calls.messages(channel, after_seq=after_seq, limit=LARGEST_PAGE, wait=wait))
        is_other_data = epoch is not None and page["epoch"] != epoch
        epoch = page["epoch"]
        if is_other_data:
            after_seq = yield from _place_of(channel, last)
            continue
        for message in page["messages"]:
            last = message
            yield Give(message)
        following = page.get("next_after_seq")
        after_seq = after_seq if following is None else following
        if last is None and after_seq > 0:
            # `after_seq` may be of an earlier run, before a restore, and higher than all numbers in use.
            after_seq = min(after_seq, page["last_seq"])
            # The time of this message finds the same place in restored data.
            last = yield from _newest_up_to(channel, after_seq, page["epoch"])


Search = Generator[Fetch, Any, T]


def _newest_up_to(channel: str, seq: int, epoch: str) -> Search[ChatMessage | None]:
    page = yield Fetch(_calls.messages(channel, limit=1))
    if page["epoch"] != epoch:
        return None
    return next((message for message in page["messages"] if message["seq"] <= seq), None)


def _place_of(channel: str, last: ChatMessage | None) -> Search[int]:
    """Finds the seq in the present data after which every message is newer than the last one given: all that is in a
    backup is older than what was sent after it was made."""
    before: int | None = None
    while True:
        page = yield Fetch(_calls.messages(channel, limit=LARGEST_PAGE, before=before))
        for message in reversed(page["messages"]):
            if last is not None and _order(message) <= _order(last):
                return int(message["seq"])
        before = page.get("next_before")
        if before is None:
            return 0


def _order(message: ChatMessage) -> tuple[str, int]:
    return message["created_at"], message["seq"]
