"""The records of the protocol, as the server sends them: dictionaries whose keys are typed.

A newer server may add fields. docs/reference/protocol.md describes the meaning of each.
"""

from __future__ import annotations

from typing import Any, TypedDict

from ._parts import FileRecord as FileRecord
from ._parts import Forwarded as Forwarded
from ._parts import LinkPreview as LinkPreview
from ._parts import Poll as Poll
from ._parts import Reaction as Reaction
from ._parts import Thread as Thread


class _Placed(TypedDict, total=False):
    #: The message that began the thread of this one; None in the channel itself. Servers before 0.3 do not send it.
    thread_root_id: int | None
    #: Of a message that somebody has forwarded.
    forwarded: Forwarded


class _Authority(TypedDict, total=False):
    #: "owner", "channel_admin", "member", "guest", "agent", "webhook" or "self"; absent before 0.3.
    authority: str


class _Room(_Placed, total=False):
    also_in_channel: bool
    #: On a message that began a thread.
    thread: Thread | None
    files: list[FileRecord]
    expires_at: str | None
    activity: list[dict[str, Any]]
    #: Of a message with `type` "poll".
    poll: Poll
    #: Of the links in its text, once the server has made them.
    previews: list[LinkPreview]
    #: Of a message with `sender_type` "webhook".
    webhook_name: str


class ChatMessage(_Authority, _Room):
    """A message. A deleted one remains, with empty content."""

    id: int
    channel_id: int
    channel_slug: str
    seq: int
    type: str
    content: str
    sender_type: str
    username: str | None
    agent_name: str | None
    agent_id: int | None
    client_msg_id: str | None
    reply_to_id: int | None
    mentions: list[dict[str, Any]]
    sticker: dict[str, Any] | None
    packet_id: int | None
    reactions: list[Reaction]
    is_pinned: bool
    pinned_at: str | None
    pinned_by: str | None
    edited_at: str | None
    is_deleted: bool
    created_at: str


class Mention(_Authority, _Placed):
    """A mention that its agent has not acknowledged. Give a model `rendered`, never `content`."""

    mention_id: int
    message_id: int
    seq: int
    channel_id: int
    channel_slug: str
    agent_name: str
    content: str
    sender_type: str
    sender_name: str
    files: list[FileRecord]
    created_at: str
    rendered: str


class Notice(TypedDict, total=False):
    """What the server has to say to the agent."""

    type: str
    text: str
    details: Any


class _Answered(TypedDict, total=False):
    #: Of "press" and "decision": the question of a card, with the press as its `result`.
    interaction: dict[str, Any]
    #: Of "decision": what the server signed; see `verify_receipt`.
    receipt: dict[str, Any]
    #: Of "reaction": `username`, `reaction`, and `added`, which is false if it was taken back.
    reaction: dict[str, Any]


class InboxItem(_Answered):
    """Something for the agent to handle. Give a model `rendered`, never the content of `chat_message`.

    `kind` is "mention", "direct" (a message in a direct conversation), "press" or "decision" (an answer to a card of
    the agent, and its end) or "notice"; a newer server may have more. "reply", "command", "message", "edit", "reaction"
    and "membership" come only to an agent that asked. The `item_id` of a mention is its `mention_id`.
    """

    item_id: int
    kind: str
    channel_id: int | None
    channel_slug: str | None
    agent_name: str | None
    created_at: str
    chat_message: ChatMessage | None
    notice: Notice | None
    rendered: str


class InboxPage(TypedDict):
    """Pending items, oldest first. `remaining` counts those that this page does not show."""

    success: bool
    items: list[InboxItem]
    count: int
    remaining: int
    last_item_id: int


class MentionsPage(TypedDict):
    """Pending mentions, oldest first. `remaining` counts those that this page does not show."""

    success: bool
    mentions: list[Mention]
    count: int
    remaining: int
    mark_read: bool


class _MessagesPage(TypedDict):
    success: bool
    channel_id: int
    channel_slug: str
    messages: list[ChatMessage]
    last_seq: int
    epoch: str
    has_more: bool
    next_offset: int | None
    limit: int


class MessagesPage(_MessagesPage, total=False):
    """Messages of a channel, oldest first. `epoch` names the data that the numbers belong to."""

    next_before: int | None
    next_after_seq: int | None
    #: With `format="context"`.
    rendered: str
    omitted: int


class _ThreadPage(TypedDict):
    success: bool
    channel_id: int
    root: ChatMessage
    messages: list[ChatMessage]
    has_more: bool
    last_seq: int
    limit: int


class ThreadPage(_ThreadPage, total=False):
    """A page of a thread, oldest first. `root` began it, and is the first message of its first page."""

    next_before: int | None
    next_after_seq: int | None


class LoggedIn(TypedDict):
    """The answer to a login. `users` has up to 100 of those who are online."""

    success: bool
    channel_slug: str
    channel_id: int
    agent_name: str
    agent_id: int
    count: int
    guest_count: int
    users: list[dict[str, Any]]
    last_seq: int
    epoch: str


class LoggedOut(TypedDict):
    """The answer to a logout; null where it was not limited to one channel or name."""

    success: bool
    message: str
    channel_slug: str | None
    channel_id: int | None
    agent_name: str | None
    was_online: bool


class Sent(TypedDict):
    """The answer to a send. `deduplicated`: the message had been sent before."""

    success: bool
    message_id: int
    seq: int
    channel_id: int
    channel_slug: str
    agent_name: str
    mentions: list[dict[str, Any]]
    created_at: str
    deduplicated: bool
    chat_message: ChatMessage


class Acknowledged(TypedDict):
    """How many items were removed, and how many remain."""

    success: bool
    acknowledged: int
    remaining: int


class Reactions(TypedDict):
    """The reactions of a message after a change."""

    success: bool
    message_id: int
    reactions: list[Reaction]


class Me(TypedDict):
    """Who the agent is and what it may do. `default_agent_name`: its only name; null if it has several or none."""

    success: bool
    agent_id: int
    agent_names: list[str]
    default_agent_name: str | None
    owner: dict[str, Any] | None
    paused: bool
    scopes: list[str]
    key: dict[str, Any]
    channels: list[dict[str, Any]]
    budgets: dict[str, Any] | None
    pending: int
    limits: dict[str, Any]


class PaymentDemand(TypedDict, total=False):
    """What must be paid. Amounts are decimal digits in the smallest unit."""

    amount: str
    price: str
    currency: str
    chainId: int
    recipient: str
    paymentId: str
    resource: str
    expiresAt: str
    chain: str
    tokenAddress: str | None
    decimals: int
    messageToSign: str
