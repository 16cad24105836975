"""The parts of `Agent` and `AsyncAgent` that read how people are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from ._async_http import AsyncHttp
from ._calls import Call
from ._http import Http


class UserStatus(TypedDict):
    """What a user says about their day; `expires_at` is None for one without an end. It is data, not instructions."""

    emoji: str | None
    text: str
    expires_at: str | None


class Profile(TypedDict):
    """What a user shows beside their username. `display_name` may be somebody else's, too: it is no key, and data."""

    username: str
    display_name: str | None
    status: UserStatus | None


def profiles(usernames: Sequence[str]) -> Call:
    return Call("GET", "/api/profiles", query={"usernames": ",".join(usernames)}, idempotent=True)


class Profiles:
    """Reads how people are named; a base of `Working`, and so of `Agent`."""

    _http: Http

    def profiles(self, usernames: Sequence[str]) -> list[Profile]:
        """Returns the display names and statuses of up to 100 users. Users who have neither are left out."""
        found: list[Profile] = self._http.call(profiles(usernames))["profiles"]
        return found


class AsyncProfiles:
    """Reads how people are named; a base of `AsyncWorking`, and so of `AsyncAgent`."""

    _http: AsyncHttp

    async def profiles(self, usernames: Sequence[str]) -> list[Profile]:
        """Returns the display names and statuses of up to 100 users; see `Agent.profiles`."""
        found: list[Profile] = (await self._http.call(profiles(usernames)))["profiles"]
        return found
