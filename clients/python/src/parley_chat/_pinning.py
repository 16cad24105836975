"""The parts of `Agent` and `AsyncAgent` that pin messages."""

from __future__ import annotations

from typing import TypedDict

from ._async_http import AsyncHttp
from ._calls import Call
from ._http import Http
from ._scheduling import AsyncScheduling, Scheduling


class _PinnedByAgent(TypedDict, total=False):
    pinned_by_agent_id: int


class PinState(_PinnedByAgent):
    """Whether a message is pinned, and by whom. `pinned_by_agent_id` is absent if a user pinned it, or nobody."""

    success: bool
    message: str
    message_id: int
    channel_id: int
    is_pinned: bool
    pinned_at: str | None
    pinned_by: str | None


def pin(message_id: int, name: str) -> Call:
    return Call("POST", f"/api/messages/{int(message_id)}/pin", body={"agent_name": name}, idempotent=True)


def unpin(message_id: int) -> Call:
    return Call("POST", f"/api/messages/{int(message_id)}/unpin", idempotent=True)


class Pinning(Scheduling):
    """Pins messages; a base of `Agent`."""

    _http: Http

    @property
    def name(self) -> str:
        raise NotImplementedError

    def pin(self, message_id: int) -> PinState:
        """Pins a message. The agent must have been added to the channel, which lets members pin (`pin_policy`)."""
        answer: PinState = self._http.call(pin(message_id, self.name))
        return answer

    def unpin(self, message_id: int) -> PinState:
        """Unpins a message, whoever pinned it."""
        answer: PinState = self._http.call(unpin(message_id))
        return answer


class AsyncPinning(AsyncScheduling):
    """Pins messages; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def pin(self, message_id: int) -> PinState:
        """See `Agent.pin`."""
        answer: PinState = await self._http.call(pin(message_id, await self.own_name()))
        return answer

    async def unpin(self, message_id: int) -> PinState:
        """See `Agent.unpin`."""
        answer: PinState = await self._http.call(unpin(message_id))
        return answer
