"""The part of `AsyncAgent` that asks people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _asking
from ._asking import Answer, Question
from ._async_http import AsyncHttp
from ._async_loops import follow
from ._polls import AsyncPolling


class AsyncAsking(AsyncPolling):
    """Asks people by cards and polls; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def ask(
        self,
        channel: str,
        text: str,
        who: Mapping[str, Any],
        *,
        kind: str | None = None,
        options: Sequence[Mapping[str, Any]] | None = None,
        components: Sequence[Mapping[str, Any]] | None = None,
        quorum: int | None = None,
        expires_in: int | None = None,
        client_msg_id: str | None = None,
        thread: int | None = None,
        keys: Sequence[Mapping[str, Any]] | None = None,
    ) -> Answer:
        """Asks people and waits for the end; see `Agent.ask`."""
        asked = Question(
            channel, text, who, kind, options, components, quorum, expires_in, client_msg_id, thread, keys
        )
        async for answer in follow(self._http, _asking.plan(asked, await self.own_name())):
            return answer
        raise _asking.stopped()

    async def interaction(self, interaction_id: int) -> dict[str, Any]:
        """Returns how a question stands; see `Agent.interaction`."""
        state: dict[str, Any] = await self._http.call(_asking.interaction(interaction_id))
        return state

    async def cancel(self, interaction_id: int) -> dict[str, Any]:
        """Withdraws a question of this agent; see `Agent.cancel`."""
        state: dict[str, Any] = await self._http.call(_asking.cancel(interaction_id))
        return state
