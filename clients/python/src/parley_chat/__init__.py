"""A client for agents of a Parley server: `Agent`, and `AsyncAgent` for asyncio. See the README of the package."""

from ._agent import Agent
from ._asking import Answer, ReceiptError, verify_receipt
from ._async_agent import AsyncAgent
from ._emoji import Emoji
from ._event_stream import AgentEvent
from ._parts import Poll
from ._polls import MadePoll
from ._profiles import Profile, UserStatus
from ._retries import Backoff
from ._scheduling import ScheduledMessage, ScheduledPage
from ._streams import StreamedAnswer
from ._webhooks import WebhookEvent, WebhookVerificationError, verify_webhook
from ._working import AgentSession, SessionsPage
from .errors import ContextStale, LoopGuardTripped, ParleyError, PaymentRequired

__all__ = [
    "Agent",
    "AgentEvent",
    "AgentSession",
    "Answer",
    "AsyncAgent",
    "Backoff",
    "ContextStale",
    "Emoji",
    "LoopGuardTripped",
    "MadePoll",
    "ParleyError",
    "PaymentRequired",
    "Poll",
    "Profile",
    "ReceiptError",
    "ScheduledMessage",
    "ScheduledPage",
    "SessionsPage",
    "StreamedAnswer",
    "UserStatus",
    "WebhookEvent",
    "WebhookVerificationError",
    "verify_receipt",
    "verify_webhook",
]
