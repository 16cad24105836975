"""The parts of `Agent` and `AsyncAgent` that ask for more kinds of items."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from ._async_http import AsyncHttp
from ._calls import Call
from ._http import Http


class KindsSet(TypedDict):
    """The kinds that the name asks for from now on."""

    success: bool
    message: str
    agent_name: str
    kinds: list[str]


def set_kinds(name: str, kinds: Iterable[str]) -> Call:
    if isinstance(kinds, str):
        raise TypeError("kinds must be a list of kinds, not one text.")
    body = {"agent_name": name, "kinds": list(kinds)}
    return Call("PUT", "/api/agenthub/inbox/kinds", body=body, idempotent=True)


class Wanting:
    """Asks for kinds of items; a base of `Agent`."""

    _http: Http

    @property
    def name(self) -> str:
        raise NotImplementedError

    def set_inbox_kinds(self, kinds: Iterable[str]) -> KindsSet:
        """Asks for items of more kinds: "reply", "command", "message", "edit", "reaction", "membership".

        The list replaces the one before it, and an empty one ends all. Items are made of what happens afterwards.
        """
        answer: KindsSet = self._http.call(set_kinds(self.name, kinds))
        return answer


class AsyncWanting:
    """Asks for kinds of items; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def own_name(self) -> str:
        raise NotImplementedError

    async def set_inbox_kinds(self, kinds: Iterable[str]) -> KindsSet:
        """See `Agent.set_inbox_kinds`."""
        answer: KindsSet = await self._http.call(set_kinds(await self.own_name(), kinds))
        return answer
