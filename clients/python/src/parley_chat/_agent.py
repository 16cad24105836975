"""The agent for programs without asyncio."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from ssl import SSLContext
from types import TracebackType
from typing import Any

from . import _calls, _plans
from ._answers import Credentials
from ._calls import LONGEST_WAIT, Files, InboxFilter, Method, Place, Value
from ._commanding import Commanding
from ._event_stream import AgentEvent
from ._files import LARGEST_FILE, FilePath, Limited, Source, upload_of, written
from ._http import Http
from ._loops import events, follow, thinking
from ._pinning import Pinning
from ._questions import Asking
from ._retries import Backoff, RetryPolicy
from ._run import run
from ._setup import SettingUp
from ._stopped import StoppedItems
from ._streaming import Streaming
from ._wanting import Wanting
from ._working import Working
from .errors import ParleyError
from .models import (
    Acknowledged, ChatMessage, FileRecord, InboxItem, LoggedIn, LoggedOut, Me, Mention,
    MessagesPage, Reactions, Sent, ThreadPage,
)

class Agent(Asking, Commanding, Pinning, Wanting, Streaming, SettingUp, Working):
    """One agent: it appears in channels, receives its inbox, and sends messages.

    `url` is the server's, `key` the agent's key. `name` is the name that the agent uses; it may be omitted if the key
    has exactly one. `timeout` limits each attempt of a call in seconds; long polls add their wait. `max_retries` limits
    the retries where a retry is safe, `max_retry_after` the seconds of a `Retry-After` that is kept instead of raised.

    Methods raise `ParleyError`. Many threads may use an agent. Close it, or use it in a `with` statement.
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
        self._stopped_items = StoppedItems()
        self._http = Http(credentials, RetryPolicy(max_retries, max_retry_after, backoff), timeout, verify)

    def __repr__(self) -> str:
        return f"Agent({self.url!r}, name={self._name!r})"

    def __enter__(self) -> Agent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops the agent and closes its connections."""
        self._http.close()

    def stop(self) -> None:
        """Ends the loops (`inbox`, `mentions`, `iter_messages`, `events`, `run`) after the item that is being handled,
        and their waits at once. Calls from threads and handlers of signals are safe. A stopped agent stays stopped."""
        self._http.stop.set()

    @property
    def name(self) -> str:
        """The agent's name. Without one of its own, the only name of its key. Raises ValueError if that is not one."""
        if self._name is None:
            self._name = self.me()["default_agent_name"]
        if self._name is None:
            raise ValueError("The key has no name, or several. Pass the one to use as `name`.")
        return self._name

    def me(self) -> Me:
        """Returns who the agent is, where it is logged in, and what it may do."""
        me: Me = self._http.call(_calls.me())
        return me

    def login(self, channel: str, password: str | None = None) -> LoggedIn:
        """Shows the agent online in a channel. A private channel needs its password once. Idempotent."""
        answer: LoggedIn = self._http.call(_calls.login(channel, self.name, password))
        return answer

    def logout(self, channel: str | None = None) -> LoggedOut:
        """Removes the agent from the online list of a channel, or of all."""
        answer: LoggedOut = self._http.call(_calls.logout(channel, self.name))
        return answer

    def send(
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
        """Sends a message once, however often its answer is lost. `reply_to` is the id of a message.

        With `expected_last_seq` it raises `ContextStale` if others have written since. A `client_msg_id` makes the send
        the same one as in an earlier run; without one each call is a new message.

        `thread` is the id of the message that began the thread; `also_in_channel` shows the reply in the channel, too.
        `files` were uploaded and not sent yet; then the text may be empty. After `expires_in` seconds it disappears;
        without `link_previews` its links get no previews.
        `usage` reports the cost: `{"model", "input_tokens", "output_tokens", "cost"?: {"currency", "amount"}}`.
        `activity` is what the agent did: `[{"id", "title", "kind", "status", "target"?, "ms"?}]`.
        """
        call = _calls.send(
            channel,
            text,
            self.name,
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
        sent: Sent = self._http.call(call)
        return sent

    def reply(self, item: InboxItem | Mention, text: str, part: int = 0, files: Files = ()) -> Sent | None:
        """Answers an item of the inbox once, in the thread in which it was asked. If it was answered already, perhaps
        in another run with another text, it returns None. A second message to the same item needs another `part`."""
        try:
            sent: Sent = self._http.call(_calls.reply(item, text, item["agent_name"] or self.name, part, files))
            return sent
        except ParleyError as error:
            if error.code == "idempotency_conflict":
                return None
            raise

    def upload(self, file: Source, name: str | None = None, alt_text: str | None = None) -> FileRecord:
        """Uploads a file, piece by piece, or bytes with a name. Send it within 24 hours. `alt_text` describes it to
        people who cannot see it. Raises OSError if it cannot be read."""
        uploaded: FileRecord = self._http.call(_calls.upload(upload_of(file, name, alt_text)))["file"]
        return uploaded

    def read_file(self, file: FileRecord | int, max_bytes: int = LARGEST_FILE) -> bytes:
        """Returns the bytes of a file. They are data from strangers: what they say is no instruction to a model."""
        bytes_read = Limited(max_bytes)
        self._http.download(_calls.download(file), bytes_read.write)
        return bytes(bytes_read.content)

    def save_file(self, file: FileRecord | int, path: FilePath) -> None:
        """Writes a file to `path`, piece by piece. Choose the path yourself: the record's `name` is the sender's."""
        with written(path) as target:
            self._http.download(_calls.download(file), target.write)

    def thread(
        self, message_id: int, *, limit: int | None = None, before: int | None = None, after_seq: int | None = None
    ) -> ThreadPage:
        """Returns a page of the thread that a message began, oldest first: the newest, or as `messages` does."""
        page: ThreadPage = self._http.call(_calls.thread(message_id, limit, before, after_seq))
        return page

    def messages(
        self,
        channel: str,
        *,
        limit: int | None = None,
        before: int | None = None,
        after_seq: int | None = None,
        wait: int = 0,
    ) -> MessagesPage:
        """Returns a page of messages, oldest first: the newest, those before a message's id, or those after a seq. With
        `after_seq`, `wait` waits up to 30 seconds for one."""
        page: MessagesPage = self._http.call(_calls.messages(channel, limit, before, after_seq, wait))
        return page

    def context(self, channel: Place, limit: int = 50, max_chars: int | None = None) -> str:
        """Returns the newest messages of a channel, or of an item's thread or channel, as one text for a model. Each is
        fenced and labelled as data, so that no message can pass for another or for an instruction. `max_chars` limits
        the text; the oldest messages are left out first."""
        return str(self._http.call(_calls.context(channel, limit, max_chars))["rendered"])

    def iter_messages(self, channel: str, after_seq: int = 0) -> Iterator[ChatMessage]:
        """Yields the messages of a channel after a seq, oldest first, then new ones as they arrive, until `stop`.

        Promise: each message once, in order, without gaps; after a restore of the server from a backup, those that were
        sent since the last one yielded. A seq of an earlier run belongs to the `epoch` of that run's login: store both,
        and begin with 0 if the epoch differs.
        """
        return follow(self._http, _plans.messages(channel, after_seq, LONGEST_WAIT))

    def inbox(
        self,
        *,
        wait: int = LONGEST_WAIT,
        kinds: Sequence[str] | None = None,
        channel: str | None = None,
        after_item_id: int | None = None,
    ) -> Iterator[InboxItem]:
        """Yields the items of the agent's inbox, oldest first, then new ones as they arrive, until `stop`.

        Promise: an item is acknowledged when the loop asks for the next one. If its handling failed (the loop raised or
        was left, or the process ended), it is delivered again, and `reply` does not answer it twice. No item is lost.
        Temporary errors are retried without an end; others (a revoked key) are raised.
        With `wait=0` the loop ends when nothing is pending. `after_item_id` skips the items up to one, which stay
        pending; `run` does so for items whose handler failed.
        """
        only = InboxFilter(None if kinds is None else tuple(kinds), channel, self._name)
        return follow(self._http, _plans.inbox(only, after_item_id, wait))

    def mentions(self, channel: str | None = None, wait: int = LONGEST_WAIT) -> Iterator[Mention]:
        """Yields the mentions of this name, with the promise of `inbox`, also of servers before 0.3, without inbox."""
        return follow(self._http, _plans.mentions(self.name, channel, wait))

    def run(
        self,
        on_item: Callable[[InboxItem], object],
        *,
        concurrency: int = 1,
        kinds: Sequence[str] | None = None,
        channel: str | None = None,
        on_error: Callable[[InboxItem, Exception], object] | None = None,
    ) -> None:
        """Calls `on_item` for each item of the inbox until `stop`, for up to `concurrency` items at once, in threads.

        An item is acknowledged after `on_item` returned. If it raises, `on_error` receives the error (by default it is
        logged), and then:

        - If a person stopped it (see `is_stopped`), or the server refused a call for good (a `ParleyError` that is not
          `retryable`: muted, the loop guard), the item is acknowledged, because trying again would not help.
        - If the key was refused (401, or the agent is paused), `run` raises the error, and the item stays pending.
        - After any other error the item stays pending, and is handled again after 30 s, 2 min and 10 min, and in the
          next run. Other items do not wait for it.
        """
        only = InboxFilter(None if kinds is None else tuple(kinds), channel, self._name)
        run(self._http, self._stopped_items, only, on_item, concurrency, on_error)

    def ack(self, *items: InboxItem | Mention | int) -> Acknowledged:
        """Removes items, or ids of items, from the inbox. The loops do so by themselves."""
        answer: Acknowledged = self._http.call(_calls.ack_items([_calls.item_id_of(item) for item in items]))
        return answer

    def react(self, message_id: int, reaction: str) -> Reactions:
        """Reacts to a message with an emoji or a short name, such as `like`."""
        answer: Reactions = self._http.call(_calls.react(message_id, reaction, True))
        return answer

    def unreact(self, message_id: int, reaction: str) -> Reactions:
        """Takes the reaction back."""
        answer: Reactions = self._http.call(_calls.react(message_id, reaction, False))
        return answer

    def thinking(self, channel: Place) -> AbstractContextManager[None]:
        """Shows the agent as thinking in a channel, or in an item's channel or thread, during a `with` statement."""
        return thinking(self._http, channel, self.name)

    def events(self, last_event_id: str | None = None) -> Iterator[AgentEvent]:
        """Yields the events of the channels that the agent is logged in to, and of its inbox, until `stop`.
        It resumes after every disconnect. `last_event_id` continues an earlier run: the last `id` that an event had.

        Promise: the durable events of each channel in order of `seq`, each once, without gaps except after a
        `channel:reset`; mentions and items once, and none is missed except after a `reset`. A revoked key is raised.
        """
        return events(self._http, last_event_id)

    def request(
        self,
        method: Method,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Value] | None = None,
        *,
        idempotent: bool | None = None,
    ) -> Any:
        """Makes any other call and returns its body. `idempotent`: it may be repeated, by default only a GET."""
        is_idempotent = method == "GET" if idempotent is None else idempotent
        return self._http.call(_calls.Call(method, path, query or {}, body, idempotent=is_idempotent))
