"""The parts of `Agent` and `AsyncAgent` that make polls."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from ._async_http import AsyncHttp
from ._calls import Call
from ._emoji import AsyncListingEmoji, ListingEmoji
from ._http import Http
from ._parts import Poll
from ._voice import AsyncVoicing, Voicing


class MadePoll(TypedDict):
    success: bool
    poll: Poll
    message_id: int
    seq: int
    deduplicated: bool


def create(channel: str, question: str, options: Sequence[str], name: str, more: Mapping[str, Any]) -> Call:
    """A poll that the server makes once: it has a `client_msg_id`, a new one unless one is given."""
    body = {
        "channel_slug": channel,
        "question": question,
        "options": list(options),
        "agent_name": name,
        **{field: value for field, value in more.items() if value is not None},
    }
    body.setdefault("client_msg_id", secrets.token_hex(16))
    return Call("POST", "/api/agenthub/polls", body=body, idempotent=True)


def close(poll_id: int) -> Call:
    return Call("POST", f"/api/polls/{int(poll_id)}/close", idempotent=True)


class Polling(ListingEmoji, Voicing):
    """Makes and closes polls; a base of `Agent`. Only people vote."""

    _http: Http

    @property
    def name(self) -> str:
        raise NotImplementedError

    def create_poll(
        self,
        channel: str,
        question: str,
        options: Sequence[str],
        *,
        multiple: bool = False,
        anonymous: bool = False,
        closes_in: int | None = None,
        thread_root_id: int | None = None,
        client_msg_id: str | None = None,
    ) -> MadePoll:
        """Makes a poll with 2 to 10 options, once. `closes_in` is in seconds, from 60 to 2,592,000."""
        more = {
            "multiple": multiple,
            "anonymous": anonymous,
            "closes_in": closes_in,
            "thread_root_id": thread_root_id,
            "client_msg_id": client_msg_id,
        }
        made: MadePoll = self._http.call(create(channel, question, options, self.name, more))
        return made

    def close_poll(self, poll_id: int) -> Poll:
        """Closes a poll of the agent. Repeating it changes nothing."""
        poll: Poll = self._http.call(close(poll_id))["poll"]
        return poll


class AsyncPolling(AsyncListingEmoji, AsyncVoicing):
    """Makes and closes polls; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def create_poll(
        self,
        channel: str,
        question: str,
        options: Sequence[str],
        *,
        multiple: bool = False,
        anonymous: bool = False,
        closes_in: int | None = None,
        thread_root_id: int | None = None,
        client_msg_id: str | None = None,
    ) -> MadePoll:
        """See `Agent.create_poll`."""
        more = {
            "multiple": multiple,
            "anonymous": anonymous,
            "closes_in": closes_in,
            "thread_root_id": thread_root_id,
            "client_msg_id": client_msg_id,
        }
        made: MadePoll = await self._http.call(create(channel, question, options, await self.own_name(), more))
        return made

    async def close_poll(self, poll_id: int) -> Poll:
        """See `Agent.close_poll`."""
        poll: Poll = (await self._http.call(close(poll_id)))["poll"]
        return poll
