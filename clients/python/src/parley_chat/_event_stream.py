"""Reads the stream of server-sent events and remembers the position in it. No input or output."""

from __future__ import annotations

import codecs
import json
import re
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from ._retries import RetryPolicy
from .errors import ParleyError, error_from_body, is_error_body

#: The server sends a comment every 15 s. A stream that is silent for longer than this is dead.
SILENT_SECONDS = 45.0
#: Mentions and items remembered to recognize repeated ones.
_KEPT = 2_000


@dataclass(frozen=True)
class AgentEvent:
    """An event of a channel that the agent is logged in to, or of its inbox.

    `event` is the event's name, `data` its data (protocol §8). `id` is the position of the stream at the event, to
    continue from in another run; events that are not repeated have none.
    """

    event: str
    data: dict[str, Any]
    id: str | None = None


@dataclass(frozen=True)
class Frame:
    """A block of the stream. `data` is None in a block that only moves the position."""

    event: str
    id: str | None
    data: str | None


class EventParser:
    """Splits the bytes of a stream into blocks, wherever they are cut. The text is UTF-8 whatever the headers say."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, chunk: bytes) -> list[Frame]:
        """Returns the blocks that these bytes complete, without comments."""
        *blocks, self._rest = re.split(r"\r?\n\r?\n", self._rest + self._decoder.decode(chunk))
        frames = (_frame_of(block) for block in blocks)
        return [frame for frame in frames if frame is not None]


def _frame_of(block: str) -> Frame | None:
    event, event_id, data = "message", None, []
    for line in re.split(r"\r?\n", block):
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            event = value
        elif name == "id":
            event_id = value
        elif name == "data":
            data.append(value)
    if not data and event_id is None:
        return None
    return Frame(event, event_id, "\n".join(data) if data else None)


class StreamPosition:
    """How far a stream has been read.

    Promises: the durable events of each channel are taken in the order of `seq` and once, a mention or item once.
    """

    def __init__(self, last_event_id: str | None) -> None:
        self._id = last_event_id
        self._seqs: dict[int, int] = {}
        for channel_id, seq in re.findall(r"(\d+):(\d+)", last_event_id or ""):
            self._seqs[int(channel_id)] = int(seq)
        self._seen: OrderedDict[tuple[str, int], None] = OrderedDict()
        self._spread: float | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The headers that continue the stream from here."""
        return {"Accept": "text/event-stream", "Accept-Encoding": "identity"} | (
            {} if self._id is None else {"Last-Event-ID": self._id}
        )

    def take(self, frame: Frame) -> AgentEvent | None:
        """Returns the event of a block, or None if it has none or repeats one. Raises ParleyError if the server says
        that the stream is over for good."""
        if frame.id is not None:
            self._move_to(frame.id)
        if frame.data is None:
            return None
        data = _parsed(frame.data)
        if frame.event == "stream:end":
            raise _end_of(data)
        if frame.event == "server:draining":
            self._spread = float(data.get("retry_within_ms", 1_000)) / 1_000
        return None if self._is_repeated(frame.event, data) else AgentEvent(frame.event, data, frame.id)

    def before_reconnect(
        self, error: ParleyError, failures: int, retries: RetryPolicy, chance: float
    ) -> float | None:
        """Returns the seconds before the next connection; None: the error is raised."""
        wait = retries.before_next_poll(error, failures, chance)
        spread, self._spread = self._spread, None
        # A restarting server names the time over which its clients return.
        if wait is None or spread is None:
            return wait
        return min(spread, retries.backoff.longest) * chance

    def _move_to(self, event_id: str) -> None:
        if self._id is not None and _epoch_of(self._id) not in (None, _epoch_of(event_id)):
            # Restored data uses numbers again: an event with a known number may be another one.
            self._seqs.clear()
            self._seen.clear()
        self._id = event_id

    def _is_repeated(self, event: str, data: dict[str, Any]) -> bool:
        if event == "mention:new":
            # Servers before 0.3 do not name the mention. Its message may mention several names of the agent.
            return self._is_seen(event, data.get("mention_id") or data["chat_message"]["id"])
        if event == "inbox:new":
            return self._is_seen(event, data["item"]["item_id"])
        if "seq" not in data or "channel_id" not in data:
            return False
        channel_id, seq = data["channel_id"], data["seq"]
        if event != "channel:reset" and seq <= self._seqs.get(channel_id, 0):
            return True
        self._seqs[channel_id] = seq
        return False

    def _is_seen(self, event: str, number: int) -> bool:
        if (event, number) in self._seen:
            return True
        self._seen[event, number] = None
        if len(self._seen) > _KEPT:
            self._seen.popitem(last=False)
        return False


def _parsed(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise ParleyError("invalid_answer", "The stream is not one of a Parley server.", retryable=True)
    return data


def _end_of(data: dict[str, Any]) -> ParleyError:
    # The block has no status of HTTP; with 401 it is an error that lasts.
    return error_from_body(data, 401) if is_error_body(data) else ParleyError("invalid_answer", "The stream ended.")


def _epoch_of(event_id: str) -> str | None:
    _, slash, epoch = event_id.partition("/")
    return epoch if slash else None
