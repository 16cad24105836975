"""The parts of `Agent` and `AsyncAgent` that send messages later."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, TypedDict

from ._async_http import AsyncHttp
from ._calls import Call, Files, Place, slug_of
from ._files import file_id_of
from ._http import Http

#: The moment at which a message is sent: with a time zone, or as text in ISO 8601.
When = datetime | str
ScheduledStatus = Literal["waiting", "sent", "failed", "cancelled"]


class ScheduledMessage(TypedDict):
    """A message that the server sends later. `failure` is the code of the error that the send had, or "missed"."""

    scheduled_id: int
    channel_id: int
    channel_slug: str | None
    agent_name: str | None
    content: str
    reply_to_id: int | None
    thread_root_id: int | None
    also_in_channel: bool
    file_ids: list[int]
    send_at: str
    status: ScheduledStatus
    failure: str | None
    message_id: int | None
    created_at: str


class ScheduledPage(TypedDict):
    """A page of scheduled messages, by the time of sending. `next_offset` is None on the last one."""

    success: bool
    scheduled: list[ScheduledMessage]
    has_more: bool
    next_offset: int | None
    limit: int


PATH = "/api/agenthub/scheduled"


def _moment(when: When) -> str:
    if isinstance(when, str):
        return when
    if when.tzinfo is None:
        raise ValueError("send_at needs a time zone.")
    return when.isoformat()


def schedule(
    place: Place,
    text: str,
    send_at: When,
    name: str,
    *,
    reply_to: int | None,
    thread: int | None,
    also_in_channel: bool,
    files: Files,
    link_previews: bool,
    key: str | None,
) -> Call:
    body: dict[str, Any] = {
        "channel_slug": slug_of(place), "agent_name": name, "content": text, "send_at": _moment(send_at)
    }
    if reply_to is not None:
        body["reply_to_id"] = reply_to
    if thread is not None:
        body["thread_root_id"] = thread
    if also_in_channel:
        body["also_in_channel"] = True
    if not link_previews:
        body["link_previews"] = False
    if files:
        body["file_ids"] = [file_id_of(file) for file in files]
    return Call("POST", PATH, body=body, idempotent=True, key=key or secrets.token_hex(16))


def scheduled(status: ScheduledStatus | None, offset: int | None) -> Call:
    return Call("GET", PATH, query={"status": status, "offset": offset}, idempotent=True)


def reschedule(scheduled_id: int, text: str | None, send_at: When | None) -> Call:
    body: Mapping[str, Any] = {
        **({} if text is None else {"content": text}),
        **({} if send_at is None else {"send_at": _moment(send_at)}),
    }
    return Call("PUT", f"{PATH}/{int(scheduled_id)}", body=body, idempotent=True)


def unschedule(scheduled_id: int) -> Call:
    return Call("DELETE", f"{PATH}/{int(scheduled_id)}")


class Scheduling:
    """Sends messages later; a base of `Pinning`, and so of `Agent`."""

    _http: Http

    @property
    def name(self) -> str:
        raise NotImplementedError

    def schedule(
        self,
        channel: Place,
        text: str,
        send_at: When,
        *,
        reply_to: int | None = None,
        thread: int | None = None,
        also_in_channel: bool = False,
        files: Files = (),
        link_previews: bool = True,
        idempotency_key: str | None = None,
    ) -> ScheduledMessage:
        """Stores a message that the server sends at a time, from 10 seconds to 365 days ahead, with the rights that
        this key has then. A repeated call with the same `idempotency_key` stores one message. The other arguments are
        those of `send`."""
        call = schedule(
            channel,
            text,
            send_at,
            self.name,
            reply_to=reply_to,
            thread=thread,
            also_in_channel=also_in_channel,
            files=files,
            link_previews=link_previews,
            key=idempotency_key,
        )
        message: ScheduledMessage = self._http.call(call)["scheduled"]
        return message

    def scheduled(self, status: ScheduledStatus | None = None, offset: int | None = None) -> ScheduledPage:
        """Returns a page of the agent's scheduled messages, by the time of sending."""
        page: ScheduledPage = self._http.call(scheduled(status, offset))
        return page

    def reschedule(
        self, scheduled_id: int, *, text: str | None = None, send_at: When | None = None
    ) -> ScheduledMessage:
        """Changes the text or the time of a message that waits."""
        message: ScheduledMessage = self._http.call(reschedule(scheduled_id, text, send_at))["scheduled"]
        return message

    def unschedule(self, scheduled_id: int) -> ScheduledMessage:
        """Cancels a message that waits."""
        message: ScheduledMessage = self._http.call(unschedule(scheduled_id))["scheduled"]
        return message


class AsyncScheduling:
    """Sends messages later; a base of `AsyncPinning`, and so of `AsyncAgent`."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def schedule(
        self,
        channel: Place,
        text: str,
        send_at: When,
        *,
        reply_to: int | None = None,
        thread: int | None = None,
        also_in_channel: bool = False,
        files: Files = (),
        link_previews: bool = True,
        idempotency_key: str | None = None,
    ) -> ScheduledMessage:
        """See `Agent.schedule`."""
        name = await self.own_name()
        call = schedule(
            channel,
            text,
            send_at,
            name,
            reply_to=reply_to,
            thread=thread,
            also_in_channel=also_in_channel,
            files=files,
            link_previews=link_previews,
            key=idempotency_key,
        )
        message: ScheduledMessage = (await self._http.call(call))["scheduled"]
        return message

    async def scheduled(self, status: ScheduledStatus | None = None, offset: int | None = None) -> ScheduledPage:
        """See `Agent.scheduled`."""
        page: ScheduledPage = await self._http.call(scheduled(status, offset))
        return page

    async def reschedule(
        self, scheduled_id: int, *, text: str | None = None, send_at: When | None = None
    ) -> ScheduledMessage:
        """See `Agent.reschedule`."""
        message: ScheduledMessage = (await self._http.call(reschedule(scheduled_id, text, send_at)))["scheduled"]
        return message

    async def unschedule(self, scheduled_id: int) -> ScheduledMessage:
        """See `Agent.unschedule`."""
        message: ScheduledMessage = (await self._http.call(unschedule(scheduled_id)))["scheduled"]
        return message
