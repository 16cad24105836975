"""The parts of `Agent` and `AsyncAgent` that say what the agent does in threads."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from ._async_http import AsyncHttp
from ._calls import Call
from ._http import Http
from ._stopped import StoppedItems
from .models import InboxItem

State = Literal["working", "done", "failed"]


class AgentSession(TypedDict):
    """What an agent does in a thread. `state` may also be "waiting", for an answer to the card `interaction_id`, or
    "gone": the agent was working, and has been away since `since`."""

    agent_id: int
    agent_name: str
    channel_id: int
    thread_root_id: int
    title: str | None
    state: str
    since: str
    interaction_id: int | None


class SessionsPage(TypedDict):
    """A page of sessions, newest first. `next_offset` is None on the last one."""

    success: bool
    sessions: list[AgentSession]
    has_more: bool
    next_offset: int | None
    limit: int


def set_session(name: str, channel: str, thread: int, state: State, title: str | None) -> Call:
    body: dict[str, Any] = {"channel_slug": channel, "thread_root_id": thread, "agent_name": name, "state": state}
    if title is not None:
        body["title"] = title
    return Call("PUT", "/api/agenthub/sessions", body=body, idempotent=True)


def sessions(channel_id: int | None, state: str | None, offset: int | None) -> Call:
    path = "/api/agents/sessions" if channel_id is None else f"/api/channels/{channel_id}/sessions"
    return Call("GET", path, query={"state": state, "offset": offset}, idempotent=True)


class Working:
    """Says what the agent does in threads; a base of `Agent`."""

    _http: Http
    _stopped_items: StoppedItems

    @property
    def name(self) -> str:
        raise NotImplementedError

    def set_session(self, channel: str, thread: int, state: State, title: str | None = None) -> AgentSession:
        """Says what the agent does in a thread: one session a thread. `thread` is the id of the message that begins it.

        Without `title` the one before stays; an empty one removes it.
        """
        session: AgentSession = self._http.call(set_session(self.name, channel, thread, state, title))["session"]
        return session

    def sessions(
        self, channel_id: int | None = None, *, state: str | None = None, offset: int | None = None
    ) -> SessionsPage:
        """Returns what agents do in a channel, or in all channels of this agent.

        `state` may name several: "working,waiting".
        """
        page: SessionsPage = self._http.call(sessions(channel_id, state, offset))
        return page

    def is_stopped(self, item: InboxItem) -> bool:
        """Returns whether a person has stopped the agent where it works on an item that `run` handles (protocol §16.4).

        A handler that takes long asks this and returns early. The item is acknowledged, however its handling ends. It
        stays false with a `concurrency` of 1, which reads nothing while it handles, and with `kinds` without notices.
        """
        return self._stopped_items.has(item)


class AsyncWorking:
    """Says what the agent does in threads; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def set_session(self, channel: str, thread: int, state: State, title: str | None = None) -> AgentSession:
        """See `Agent.set_session`."""
        call = set_session(await self.own_name(), channel, thread, state, title)
        session: AgentSession = (await self._http.call(call))["session"]
        return session

    async def sessions(
        self, channel_id: int | None = None, *, state: str | None = None, offset: int | None = None
    ) -> SessionsPage:
        """See `Agent.sessions`."""
        page: SessionsPage = await self._http.call(sessions(channel_id, state, offset))
        return page
