"""The parts of `Agent` and `AsyncAgent` that list the emoji of the server."""

from __future__ import annotations

from typing import TypedDict

from ._async_http import AsyncHttp
from ._calls import Call
from ._http import Http


class Emoji(TypedDict):
    """A picture that people write as `:name:`. `username` is None after the account of who added it was deleted."""

    name: str
    url: str
    mime_type: str
    width: int
    height: int
    is_animated: bool
    username: str | None
    created_at: str


def list_emoji() -> Call:
    return Call("GET", "/api/emoji", idempotent=True)


class ListingEmoji:
    """Lists the emoji of the server; a base of `Agent`."""

    _http: Http

    def list_emoji(self) -> list[Emoji]:
        """Lists the emoji of the server. Write one as `:name:`, and react with its name."""
        emoji: list[Emoji] = self._http.call(list_emoji())["emoji"]
        return emoji


class AsyncListingEmoji:
    """Lists the emoji of the server; a base of `AsyncAgent`."""

    _http: AsyncHttp

    async def list_emoji(self) -> list[Emoji]:
        """See `Agent.list_emoji`."""
        emoji: list[Emoji] = (await self._http.call(list_emoji()))["emoji"]
        return emoji
