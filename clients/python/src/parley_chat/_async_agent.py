"""The agent for programs with asyncio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from ssl import SSLContext
from types import TracebackType
from typing import Any

from . import _calls, _plans
from ._answers import Credentials
from ._async_http import AsyncHttp
from ._async_loops import events, follow, thinking
from ._async_questions import AsyncAsking
from ._async_run import run
from ._calls import LONGEST_WAIT, Files, InboxFilter, Method, Place, Value
from ._commanding import AsyncCommanding
from ._event_stream import AgentEvent
from ._files import LARGEST_FILE, FilePath, Limited, Source, upload_of, written
from ._pinning import AsyncPinning
from ._retries import Backoff, RetryPolicy
from ._setup import AsyncSettingUp
from ._streaming import AsyncStreaming
from ._wanting import AsyncWanting
from ._working import AsyncWorking
from .errors import ParleyError
from .models import (
    Acknowledged,
    ChatMessage,
    FileRecord,
    InboxItem,
    LoggedIn,
    LoggedOut,
    Me,
    Mention,
    MessagesPage,
    Reactions,
    Sent,
    ThreadPage,
)

class AsyncAgent(
    AsyncAsking, AsyncCommanding, AsyncPinning, AsyncWanting, AsyncStreaming, AsyncSettingUp, AsyncWorking
):
    """`Agent` for asyncio: the same methods with the same arguments, errors and promises, to be awaited.

    Cancelling a task ends its call or wait at once. An item whose handling was cancelled is not acknowledged, so it is
    delivered again. Close the agent with `await agent.close()`, or use it in an `async with` statement.
    """

    def __init__(
        self,
        url: str,
        key: str,
        name: str | None = None,
        *,
        timeout: float = 20.0,
        max_retries: int = 4,
        max_retry_after: float = 15.0,
        backoff: Backoff = Backoff(),
        verify: SSLContext | bool = True,
    ) -> None:
        credentials = Credentials(url, key)
        self.url = credentials.url
        self._name = name
        self._http = AsyncHttp(credentials, RetryPolicy(max_retries, max_retry_after, backoff), timeout, verify)

    def __repr__(self) -> str:
        return f"AsyncAgent({self.url!r}, name={self._name!r})"

    async def __aenter__(self) -> AsyncAgent:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Stops the agent and closes its connections."""
        await self._http.close()

    def stop(self) -> None:
        """Ends the loops after the items that are being handled, and their waits at once. Fits
        `loop.add_signal_handler`; other threads call it by `loop.call_soon_threadsafe`."""
        self._http.stop()

    async def own_name(self) -> str:
        """Returns the agent's name, as `Agent.name` does."""
        if self._name is None:
            self._name = (await self.me())["default_agent_name"]
        if self._name is None:
            raise ValueError("The key has no name, or several. Pass the one to use as `name`.")
        return self._name

    async def me(self) -> Me:
        """Returns who the agent is, where it is logged in, and what it may do."""
        me: Me = await self._http.call(_calls.me())
        return me

    async def login(self, channel: str, password: str | None = None) -> LoggedIn:
        """Shows the agent online in a channel. A private channel needs its password once. Idempotent."""
        answer: LoggedIn = await self._http.call(_calls.login(channel, await self.own_name(), password))
        return answer

    async def logout(self, channel: str | None = None) -> LoggedOut:
        """Removes the agent from the online list of a channel, or of all."""
        answer: LoggedOut = await self._http.call(_calls.logout(channel, await self.own_name()))
        return answer

    async def send(
        self,
        channel: str,
        text: str,
        reply_to: int | None = None,
        expected_last_seq: int | None = None,
        client_msg_id: str | None = None,
        *,
        thread: int | None = None,
        also_in_channel: bool = False,
        files: Files = (),
        expires_in: int | None = None,
        link_previews: bool = True,
        usage: Mapping[str, object] | None = None,
        activity: Sequence[Mapping[str, object]] = (),
    ) -> Sent:
        """Sends a message once; see `Agent.send`."""
        call = _calls.send(
            channel,
            text,
            await self.own_name(),
            reply_to=reply_to,
            expected_last_seq=expected_last_seq,
            client_msg_id=client_msg_id,
            thread=thread,
            also_in_channel=also_in_channel,
            files=files,
            expires_in=expires_in,
            link_previews=link_previews,
            usage=usage,
            activity=activity,
        )
        sent: Sent = await self._http.call(call)
        return sent

    async def reply(self, item: InboxItem | Mention, text: str, part: int = 0, files: Files = ()) -> Sent | None:
        """Answers an item of the inbox once; returns None if it was answered already. See `Agent.reply`."""
        name = item["agent_name"] or await self.own_name()
        try:
            sent: Sent = await self._http.call(_calls.reply(item, text, name, part, files))
            return sent
        except ParleyError as error:
            if error.code == "idempotency_conflict":
                return None
            raise

    async def upload(self, file: Source, name: str | None = None, alt_text: str | None = None) -> FileRecord:
        """Uploads a file, or bytes with a name; see `Agent.upload`."""
        answer = await self._http.call(_calls.upload(upload_of(file, name, alt_text)))
        uploaded: FileRecord = answer["file"]
        return uploaded

    async def read_file(self, file: FileRecord | int, max_bytes: int = LARGEST_FILE) -> bytes:
        """Returns the bytes of a file; see `Agent.read_file`."""
        bytes_read = Limited(max_bytes)
        await self._http.download(_calls.download(file), bytes_read.write)
        return bytes(bytes_read.content)

    async def save_file(self, file: FileRecord | int, path: FilePath) -> None:
        """Writes a file to `path`; see `Agent.save_file`."""
        with written(path) as target:
            await self._http.download(_calls.download(file), target.write)

    async def thread(
        self, message_id: int, *, limit: int | None = None, before: int | None = None, after_seq: int | None = None
    ) -> ThreadPage:
        """Returns a page of a thread; see `Agent.thread`."""
        page: ThreadPage = await self._http.call(_calls.thread(message_id, limit, before, after_seq))
        return page

    async def messages(
        self,
        channel: str,
        *,
        limit: int | None = None,
        before: int | None = None,
        after_seq: int | None = None,
        wait: int = 0,
    ) -> MessagesPage:
        """Returns a page of messages, oldest first; see `Agent.messages`."""
        page: MessagesPage = await self._http.call(_calls.messages(channel, limit, before, after_seq, wait))
        return page

    async def context(self, channel: Place, limit: int = 50, max_chars: int | None = None) -> str:
        """Returns the newest messages as one text for a language model; see `Agent.context`."""
        return str((await self._http.call(_calls.context(channel, limit, max_chars)))["rendered"])

    def iter_messages(self, channel: str, after_seq: int = 0) -> AsyncIterator[ChatMessage]:
        """Yields the messages of a channel after a seq, then new ones; see `Agent.iter_messages`."""
        return follow(self._http, _plans.messages(channel, after_seq, LONGEST_WAIT))

    def inbox(
        self,
        *,
        wait: int = LONGEST_WAIT,
        kinds: Sequence[str] | None = None,
        channel: str | None = None,
        after_item_id: int | None = None,
    ) -> AsyncIterator[InboxItem]:
        """Yields the items of the inbox and acknowledges each when the loop asks for the next; see `Agent.inbox`."""
        only = InboxFilter(None if kinds is None else tuple(kinds), channel, self._name)
        return follow(self._http, _plans.inbox(only, after_item_id, wait))

    async def mentions(self, channel: str | None = None, wait: int = LONGEST_WAIT) -> AsyncIterator[Mention]:
        """Yields the mentions of this name, with the promise of `inbox`; see `Agent.mentions`."""
        async for mention in follow(self._http, _plans.mentions(await self.own_name(), channel, wait)):
            yield mention

    async def run(
        self,
        on_item: Callable[[InboxItem], Awaitable[object]],
        *,
        concurrency: int = 1,
        kinds: Sequence[str] | None = None,
        channel: str | None = None,
        on_error: Callable[[InboxItem, Exception], object] | None = None,
    ) -> None:
        """Awaits `on_item` for each item of the inbox until `stop`, for up to `concurrency` items at once, and
        acknowledges it afterwards. See `Agent.run` for what happens if it raises.

        If a person stops the agent where it works on an item (protocol §16.4), the handler is cancelled, and the item
        is acknowledged. `kinds` without notices leaves such stops out."""
        only = InboxFilter(None if kinds is None else tuple(kinds), channel, self._name)
        await run(self._http, only, on_item, concurrency, on_error)

    async def ack(self, *items: InboxItem | Mention | int) -> Acknowledged:
        """Removes items, or ids of items, from the inbox. The loops do so by themselves."""
        answer: Acknowledged = await self._http.call(_calls.ack_items([_calls.item_id_of(item) for item in items]))
        return answer

    async def react(self, message_id: int, reaction: str) -> Reactions:
        """Reacts to a message with an emoji or a short name, such as `like`."""
        answer: Reactions = await self._http.call(_calls.react(message_id, reaction, True))
        return answer

    async def unreact(self, message_id: int, reaction: str) -> Reactions:
        """Takes the reaction back."""
        answer: Reactions = await self._http.call(_calls.react(message_id, reaction, False))
        return answer

    @asynccontextmanager
    async def thinking(self, channel: Place) -> AsyncIterator[None]:
        """Shows the agent as thinking in a channel inside of an `async with` statement; see `Agent.thinking`."""
        async with thinking(self._http, channel, await self.own_name()):
            yield

    def events(self, last_event_id: str | None = None) -> AsyncIterator[AgentEvent]:
        """Yields the events of the agent's channels and inbox, resumed after every disconnect; see `Agent.events`."""
        return events(self._http, last_event_id)

    async def request(
        self,
        method: Method,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Value] | None = None,
        *,
        idempotent: bool | None = None,
    ) -> Any:
        """Makes any other call and returns the body of its answer; see `Agent.request`."""
        is_idempotent = method == "GET" if idempotent is None else idempotent
        return await self._http.call(_calls.Call(method, path, query or {}, body, idempotent=is_idempotent))
