"""Answers that appear as they are written: what to send of them, without sending it."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypedDict, cast

from . import _calls
from ._calls import Call
from .errors import ParleyError
from .models import ChatMessage, InboxItem, Mention


class StreamedAnswer(TypedDict):
    """A streamed answer. `finish_reason` is `interrupted` if the server ended it with a part of the text, and `stopped`
    if a person stopped the agent, which must not go on. `rest` are the messages that follow it, if it was too long for
    one."""

    message_id: int
    seq: int
    chat_message: ChatMessage
    deduplicated: bool
    finish_reason: Literal["finished", "interrupted", "stopped"]
    rest: list[ChatMessage]


#: A piece of the text, or `{"status": "reading 3 files"}`, what the agent is doing, or `{"activity": [{"id", "title",
#: "kind", "status"}]}`, what it did, which is merged by `id` and stays below the message.
Piece = str | Mapping[str, Any]

#: The longest text of one message, and the most messages of one call, as the server counts them.
LONGEST = 4_000
MOST = 5
#: The most acts of one call.
MOST_ACTS = 50
#: The seconds between two appends, and those after which the server must hear of the stream again: it ends it after 60.
APART_SECONDS = 0.1
ALIVE_SECONDS = 20.0
#: Room for the fence that closes a block of code which is cut.
CLOSING = 8

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def units(text: str) -> int:
    """The length of a text as the server counts it, in UTF-16 units."""
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


class AnswerWriter:
    """One answer: the text that the model has yielded, and how much of it the server holds."""

    def __init__(self, to: str | InboxItem | Mention, name: str, part: int, key: str | None) -> None:
        if isinstance(to, str):
            self._start = {"channel_slug": to, "client_msg_id": key or secrets.token_hex(16)}
        else:
            body = _calls.reply(to, "", name, part).body or {}
            fields = ("channel_slug", "client_msg_id", "reply_to_id", "thread_root_id")
            self._start = {field: body[field] for field in fields if field in body}
        self._start["agent_name"] = name
        self._stream_id = 0
        self._text = ""
        self._status: str | None = None
        self._shown: str | None = None
        # What the agent did since the last append, and what that one has sent.
        self._acts: dict[str, Mapping[str, Any]] = {}
        self._sent_acts: list[Mapping[str, Any]] = []
        # Characters of the text that the server holds, and their UTF-16 units.
        self._sent = 0
        self._offset = 0
        self._differs = False
        self.is_over = False
        self._parts: list[str] = []

    def start(self) -> Call:
        return Call("POST", "/api/agenthub/streams", body=self._start, idempotent=True)

    def started(self, answer: Mapping[str, Any]) -> bool:
        """Takes the answer to the start. Returns False if another run has answered already."""
        self._stream_id = answer["stream_id"]
        self._differs = answer["length"] > 0
        self.is_over = answer["state"] != "open"
        return not self.is_over

    def take(self, piece: Piece) -> None:
        if isinstance(piece, str):
            self._text += piece
        elif "activity" in piece:
            self._note(piece["activity"])
        else:
            self._status = piece["status"]

    def _note(self, acts: Iterable[Mapping[str, Any]]) -> None:
        """Keeps the newest acts, as the server does, so that a flood of them needs one request."""
        for act in acts:
            self._acts[act["id"]] = {**self._acts.get(act["id"], {}), **act}
        for act_id in list(self._acts)[:-MOST_ACTS]:
            del self._acts[act_id]

    def _taken(self) -> dict[str, Any]:
        self._sent_acts, self._acts = list(self._acts.values()), {}
        return {"activity": self._sent_acts} if self._sent_acts else {}

    def append(self, is_silent: bool = False) -> Call | None:
        """The next append; None if there is nothing to say. `is_silent`: the server must hear of the stream."""
        delta = "" if self._differs else self._fitting()
        if delta:
            self._pending = delta
            body = {"offset": self._offset, "delta": delta, "status": self._status, **self._taken()}
        elif is_silent or self._status != self._shown or self._acts:
            self._pending = ""
            body = {"status": self._status, **self._taken()}
        else:
            return None
        self._shown = self._status
        return Call("POST", f"/api/agenthub/streams/{self._stream_id}/append", body=body, idempotent=True)

    def appended(self) -> None:
        self._sent += len(self._pending)
        self._offset += units(self._pending)

    def refused(self, error: ParleyError) -> None:
        """Takes the refusal of an append: goes on from where the server is, or sends the whole text at the end."""
        if error.code == "stream_over":
            self.is_over = True
            return
        held = error.details.get("length") if isinstance(error.details, Mapping) else None
        if error.code != "offset_mismatch" or not isinstance(held, int):
            raise error
        # Before what came later.
        later, self._acts = list(self._acts.values()), {}
        self._note([*self._sent_acts, *later])
        self._sent = next((at for at in range(len(self._text) + 1) if units(self._text[:at]) == held), -1)
        self._offset = held
        self._differs = self._sent < 0

    def cancel(self) -> Call:
        return Call("POST", f"/api/agenthub/streams/{self._stream_id}/cancel", body={}, idempotent=True)

    def finish(self, fields: Mapping[str, object] | None = None) -> Call:
        self._parts = split_text(self._text)
        is_held = not self._differs and len(self._parts) == 1 and self._sent == len(self._text)
        given = dict(fields or {})
        self._note(cast("Iterable[Mapping[str, Any]]", given.pop("activity", ())))
        body = {**given, **self._taken(), **({} if is_held or not self._parts else {"message": self._parts[0]})}
        return Call("POST", f"/api/agenthub/streams/{self._stream_id}/finish", body=body, idempotent=True)

    def rest(self, answer: Mapping[str, Any]) -> Iterator[Call]:
        """The calls that send what did not fit into the first message, unless a person stopped the agent."""
        if answer["finish_reason"] == "stopped":
            return
        place = {field: self._start[field] for field in ("channel_slug", "agent_name")}
        if "thread_root_id" in self._start:
            place["thread_root_id"] = self._start["thread_root_id"]
        key = self._start["client_msg_id"]
        parts = [{"message": text, "client_msg_id": f"{key}#{at}"} for at, text in enumerate(self._parts[1:], 2)]
        for first in range(0, len(parts), MOST):
            some = parts[first : first + MOST]
            if len(some) == 1:
                yield Call("POST", "/api/agenthub/send", body={**place, **some[0]}, idempotent=True)
            else:
                yield Call("POST", "/api/agenthub/send-many", body={**place, "messages": some}, idempotent=True)

    def _fitting(self) -> str:
        delta = self._text[self._sent : self._sent + LONGEST]
        while delta and self._offset + units(delta) > LONGEST:
            delta = delta[: LONGEST - self._offset - units(delta)]
        return delta


def streamed(answer: Mapping[str, Any], rest: list[Mapping[str, Any]]) -> StreamedAnswer:
    """What a finish and the calls after it have answered."""
    others = [each for one in rest for each in one.get("messages", [one.get("chat_message")])]
    return {
        "message_id": answer["message_id"],
        "seq": answer["seq"],
        "chat_message": answer["chat_message"],
        "deduplicated": answer["deduplicated"],
        "finish_reason": answer["finish_reason"],
        "rest": others,
    }


def split_text(text: str, longest: int = LONGEST) -> list[str]:
    """Splits a text between paragraphs where it can, else between lines, words or characters. A block of code that is
    cut is closed, and opened again in the next part."""
    parts: list[str] = []
    rest = text.rstrip()
    while units(rest) > longest:
        room = longest - CLOSING
        while units(rest[:room]) > longest - CLOSING:
            room -= units(rest[:room]) - (longest - CLOSING)
        cuts = (rest.rfind(border, 0, room) for border in ("\n\n", "\n", " "))
        at = next((cut for cut in cuts if cut > room / 2), room)
        part, after = rest[:at].rstrip(), re.sub(r"^\s*\n", "", rest[at:])
        fence = _open_fence(part)
        parts.append(part if fence is None else f"{part}\n{fence[1]}")
        rest = after.lstrip() if fence is None else f"{fence[0]}\n{after}"
    return [*parts, rest] if rest else parts


def _open_fence(text: str) -> tuple[str, str] | None:
    """The line and the marks of the fence that is open at the end of a text."""
    fence: tuple[str, str] | None = None
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if found is None:
            continue
        if fence is None:
            fence = (line[:40], found[1])
        elif line.strip() == found[1] and found[1].startswith(fence[1]):
            fence = None
    return fence
