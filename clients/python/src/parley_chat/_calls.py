"""What to ask the server: each function describes one call, and makes none."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import quote, urlencode

from ._files import Upload, file_id_of
from .models import FileRecord, InboxItem, Mention

Method = Literal["GET", "POST", "PUT", "DELETE"]
Value = str | int | bool | None
#: A channel's slug, or an item of the channel.
Place = str | InboxItem | Mention

#: Files that were uploaded, or their ids.
Files = Sequence[FileRecord | int]

#: The longest time for which the server holds a call open.
LONGEST_WAIT = 30
#: The largest page of items and messages.
LARGEST_PAGE = 200
#: The longest time for the upload of a file.
UPLOAD_SECONDS = 300
#: The interval at which an agent shows again that it is thinking: the indicator expires after 12 s.
THINKING_SECONDS = 5.0


@dataclass(frozen=True)
class Call:
    """One request.

    `idempotent`: it may be sent again when its answer was lost.
    `fails_fast`: a 429 or 503 is raised at once, because a late success is worth nothing.
    `held`: the seconds for which the server may hold the call open, in addition to the timeout.
    `is_stream`: the answer has no end.
    `upload`: a file that is the body. It may take `UPLOAD_SECONDS` in addition to the timeout.
    `key`: the `Idempotency-Key`, with which the server executes a repeated call once.
    """

    method: Method
    path: str
    query: Mapping[str, Value] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    idempotent: bool = False
    fails_fast: bool = False
    held: int = 0
    is_stream: bool = False
    upload: Upload | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        if not self.path.startswith("/"):
            # Appended to the server's address it could name another server, which would receive the key.
            raise ValueError("path must begin with a slash.")

    @property
    def target(self) -> str:
        """The path with the query. Fields that are None are absent."""
        given = {name: _text(value) for name, value in self.query.items() if value is not None}
        return f"{self.path}?{urlencode(given)}" if given else self.path

    @property
    def seconds(self) -> int:
        """The seconds that the call may take in addition to the timeout."""
        return self.held if self.upload is None else UPLOAD_SECONDS

    @property
    def content(self) -> bytes | None:
        """The body as JSON."""
        return None if self.body is None else json.dumps(self.body, ensure_ascii=False).encode()

    @contextmanager
    def payload(self) -> Iterator[dict[str, Any]]:
        """Yields the body as arguments for a request of httpx, for one attempt."""
        if self.upload is None:
            yield {"content": self.content}
        else:
            with self.upload.opened() as files:
                yield files

    @property
    def headers(self) -> dict[str, str]:
        """The headers that describe the body, and the key."""
        described = {} if self.body is None else {"Content-Type": "application/json"}
        return described if self.key is None else described | {"Idempotency-Key": self.key}


def me() -> Call:
    return Call("GET", "/api/agenthub/me", idempotent=True)


def login(channel: str, name: str, password: str | None) -> Call:
    body = _given({"channel_slug": channel, "agent_name": name, "password": password})
    return Call("POST", "/api/agenthub/login", body=body, idempotent=True)


def logout(channel: str | None, name: str) -> Call:
    body = _given({"channel_slug": channel, "agent_name": name})
    return Call("POST", "/api/agenthub/logout", body=body, idempotent=True)


def send(
    channel: str,
    text: str,
    name: str,
    *,
    reply_to: int | None = None,
    expected_last_seq: int | None = None,
    client_msg_id: str | None = None,
    thread: int | None = None,
    also_in_channel: bool = False,
    files: Files = (),
    expires_in: int | None = None,
    link_previews: bool = True,
    usage: Mapping[str, object] | None = None,
    activity: Sequence[Mapping[str, object]] = (),
) -> Call:
    """A send that the server executes once: it has a `client_msg_id`, a new one unless one is given."""
    body = {
        "channel_slug": channel,
        "message": text,
        "agent_name": name,
        "reply_to_id": reply_to,
        "expected_last_seq": expected_last_seq,
        "client_msg_id": client_msg_id or secrets.token_hex(16),
        "thread_root_id": thread,
        "also_in_channel": also_in_channel or None,
        "file_ids": [file_id_of(file) for file in files] or None,
        "expires_in": expires_in,
        "link_previews": None if link_previews else False,
        "activity": list(activity) or None,
        "usage": usage,
    }
    return Call("POST", "/api/agenthub/send", body=_given(body), idempotent=True)


def reply(item: InboxItem | Mention, text: str, name: str, part: int, files: Files = ()) -> Call:
    """The answer to an item, whose `client_msg_id` names the item, in the thread of the item. Raises ValueError if it
    has no message."""
    item_id = item_id_of(item)
    message = message_of(item)
    message_id = message.get("message_id", message.get("id"))
    channel = item["channel_slug"]
    if channel is None or message_id is None:
        raise ValueError(f"Item {item_id} has no message to reply to.")
    return send(
        channel,
        text,
        name,
        reply_to=message_id,
        client_msg_id=f"reply-{item_id}-{part}",
        # Servers before 0.3 have no threads.
        thread=message.get("thread_root_id"),
        files=files,
    )


def upload(file: Upload) -> Call:
    return Call("POST", "/api/files", upload=file)


def file_record(file: FileRecord | int) -> Call:
    return Call("GET", f"/api/files/{file_id_of(file)}/record", idempotent=True)


def download(file: FileRecord | int) -> Call:
    return Call("GET", f"/api/files/{file_id_of(file)}", idempotent=True)


def thread(message_id: int, limit: int | None, before: int | None, after_seq: int | None) -> Call:
    query: dict[str, Value] = {"limit": limit, "before": before, "after_seq": after_seq}
    return Call("GET", f"/api/messages/{int(message_id)}/thread", query, idempotent=True)


def slug_of(place: Place) -> str:
    """Returns the slug of a channel, or of the channel of an item. Raises ValueError if the item has none."""
    slug = place if isinstance(place, str) else place["channel_slug"]
    if slug is None:
        raise ValueError("This item belongs to no channel.")
    return slug


def context(place: Place, limit: int, max_chars: int | None) -> Call:
    """The newest messages of a channel, or of the place of an item: its thread or its channel."""
    root = None if isinstance(place, str) else message_of(place).get("thread_root_id")
    return messages(slug_of(place), limit, format="context", max_chars=max_chars, thread=root)


def message_of(item: InboxItem | Mention) -> Mapping[str, Any]:
    """Returns what an item says of its message; nothing for a notice."""
    fields: Mapping[str, Any] = item
    return fields if "message_id" in fields else (fields["chat_message"] or {})


def item_id_of(item: InboxItem | Mention | int) -> int:
    """Returns the id by which an item is acknowledged."""
    if isinstance(item, int):
        return item
    fields: Mapping[str, int] = item  # type: ignore[assignment]
    return fields["item_id"] if "item_id" in fields else fields["mention_id"]


def typing(place: Place, name: str, is_typing: bool) -> Call:
    body = {"channel_slug": slug_of(place), "agent_name": name, "typing": is_typing}
    root = None if isinstance(place, str) else message_of(place).get("thread_root_id")
    if root is not None:
        body["thread_root_id"] = root
    return Call("POST", "/api/agenthub/typing", body=body, fails_fast=True)


def messages(
    channel: str,
    limit: int | None = None,
    before: int | None = None,
    after_seq: int | None = None,
    wait: int = 0,
    *,
    format: str | None = None,
    max_chars: int | None = None,
    thread: int | None = None,
) -> Call:
    query: dict[str, Value] = {
        "channel_slug": channel,
        "limit": limit,
        "before": before,
        "after_seq": after_seq,
        "wait": wait or None,
        "format": format,
        "max_chars": max_chars,
        "thread_root_id": thread,
    }
    return _held("/api/agenthub/messages", query, wait)


def mentions(name: str, channel: str | None, wait: int) -> Call:
    """Reads mentions and removes none."""
    query: dict[str, Value] = {"agent_name": name, "channel_slug": channel, "mark_read": False, "wait": wait or None}
    return _held("/api/agenthub/mentions", query, wait)


def ack_mentions(ids: Sequence[int]) -> Call:
    return Call("POST", "/api/agenthub/mentions/ack", body={"mention_ids": list(ids)}, idempotent=True)


@dataclass(frozen=True)
class InboxFilter:
    """Which items of the inbox to read: of some kinds, of one channel, of one name. None does not filter."""

    kinds: tuple[str, ...] | None = None
    channel: str | None = None
    name: str | None = None


def inbox(only: InboxFilter, *, after_item_id: int | None, limit: int, wait: int) -> Call:
    """Reads items and removes none."""
    query: dict[str, Value] = {
        "kinds": None if only.kinds is None else ",".join(only.kinds),
        "channel_slug": only.channel,
        "agent_name": only.name,
        "after_item_id": after_item_id,
        "limit": limit,
        "wait": wait or None,
    }
    return _held("/api/agenthub/inbox", query, wait)


def ack_items(ids: Sequence[int]) -> Call:
    return Call("POST", "/api/agenthub/inbox/ack", body={"item_ids": list(ids)}, idempotent=True)


def react(message_id: int, reaction: str, is_given: bool) -> Call:
    path = f"/api/messages/{int(message_id)}/reactions/{quote(reaction, safe='')}"
    return Call("PUT" if is_given else "DELETE", path, idempotent=True)


def events() -> Call:
    return Call("GET", "/api/agenthub/events", idempotent=True, is_stream=True)


def _held(path: str, query: Mapping[str, Value], wait: int) -> Call:
    if not 0 <= wait <= LONGEST_WAIT:
        raise ValueError(f"wait must be from 0 to {LONGEST_WAIT} seconds.")
    return Call("GET", path, query, idempotent=True, held=wait)


def _given(body: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}


def _text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
