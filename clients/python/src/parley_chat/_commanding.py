"""The parts of `Agent` and `AsyncAgent` that declare commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from ._async_http import AsyncHttp
from ._calls import Call
from ._http import Http


class CommandsSet(TypedDict):
    """The commands as they are stored. `channel_slug`: null for those of all channels."""

    success: bool
    agent_id: int
    agent_name: str
    channel_slug: str | None
    commands: list[dict[str, str]]


def set_commands(name: str, commands: Mapping[str, str], channel: str | None) -> Call:
    body = {
        "agent_name": name,
        "channel_slug": channel,
        "commands": [{"command": command, "description": text} for command, text in commands.items()],
    }
    return Call("PUT", "/api/agenthub/commands", body=body, idempotent=True)


class Commanding:
    """Declares commands; a base of `Agent`."""

    _http: Http

    @property
    def name(self) -> str:
        raise NotImplementedError

    def set_commands(self, commands: Mapping[str, str], channel: str | None = None) -> CommandsSet:
        """Declares what people can write to the agent, as in `{"deploy": "Deploy a branch"}`.

        Without `channel` the list is for all channels that have none of their own. It replaces the one before it; an
        empty one removes it. What people write reaches the agent as a mention.
        """
        answer: CommandsSet = self._http.call(set_commands(self.name, commands, channel))
        return answer


class AsyncCommanding:
    """Declares commands; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def set_commands(self, commands: Mapping[str, str], channel: str | None = None) -> CommandsSet:
        """See `Agent.set_commands`."""
        answer: CommandsSet = await self._http.call(set_commands(await self.own_name(), commands, channel))
        return answer
