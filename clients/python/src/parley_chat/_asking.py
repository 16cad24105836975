"""Questions to people: what is sent, how their end is awaited, and how its receipt is verified."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _calls
from ._calls import LONGEST_WAIT, Call
from ._ed25519 import is_signed
from ._plans import Fetch, Give, Plan
from .errors import ParleyError


class ReceiptError(Exception):
    """A receipt that does not prove what it should."""


@dataclass(frozen=True)
class Answer:
    """How a question ended. Act on `decision` only: it is what the server signed.

    `status` is "decided", "expired" or "cancelled"; `action` the `action_id` that decided, or None.
    """

    decision: dict[str, Any]
    receipt: dict[str, Any]
    message: dict[str, Any]

    @property
    def status(self) -> str:
        return str(self.decision["status"])

    @property
    def action(self) -> str | None:
        result = self.decision["result"]
        return None if result is None else str(result["action_id"])

    @property
    def is_approved(self) -> bool:
        """True if the question was an approval, and was approved."""
        return self.decision["kind"] == "approval" and self.status == "decided" and self.action == "approve"


@dataclass(frozen=True)
class Question:
    """What `Agent.ask` sends."""

    channel: str
    text: str
    who: Mapping[str, Any]
    kind: str | None = None
    options: Sequence[Mapping[str, Any]] | None = None
    components: Sequence[Mapping[str, Any]] | None = None
    quorum: int | None = None
    expires_in: int | None = None
    client_msg_id: str | None = None
    thread: int | None = None
    keys: Sequence[Mapping[str, Any]] | None = None


_APPROVAL = (
    {"action_id": "approve", "label": "Approve", "style": "primary"},
    {"action_id": "deny", "label": "Deny", "style": "danger"},
)


def verify_receipt(
    receipt: Mapping[str, Any], keys: Sequence[Mapping[str, Any]], message: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Returns what the server signed. `keys` are those of `/.well-known/parley-keys.json`; keep them from when you
    trusted the server. With `message` it also checks that people answered that text and card. Raises ReceiptError."""
    key = next((key for key in keys if key["key_id"] == receipt["key_id"]), None)
    if key is None:
        raise ReceiptError(f"The key {receipt['key_id']} is unknown.")
    signed = str(receipt["signed"]).encode()
    if not is_signed(base64.b64decode(key["public_key"]), signed, base64.b64decode(receipt["signature"])):
        raise ReceiptError("The signature is not of this text.")
    decision: dict[str, Any] = json.loads(signed)
    if decision.get("type") != "parley.decision.v1":
        raise ReceiptError("The signed text is not a decision.")
    if message is not None and _payload_hash(message) != decision["payload_hash"]:
        raise ReceiptError("The receipt is for another text or card.")
    return decision


def _payload_hash(message: Mapping[str, Any]) -> str:
    payload = [message["content"], message.get("components")]
    text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def plan(question: Question, name: str) -> Plan[Answer]:
    """Asks once, waits for the end, and gives the answer."""
    sent = yield Fetch(_send(question, name))
    message = sent["chat_message"]
    # The message may have been deleted since an earlier run asked it: how that ended can still be read.
    number = message["id"]
    while True:
        state = yield Fetch(interaction(number, LONGEST_WAIT))
        if state["interaction"]["status"] != "open":
            break
    receipt = state["receipt"]
    if receipt is None:
        raise ReceiptError("The server has no receipt any more: an account was erased.")
    keys = question.keys
    if keys is None:
        keys = (yield Fetch(Call("GET", "/.well-known/parley-keys.json", idempotent=True)))["keys"]
    decision = verify_receipt(receipt, keys, None if message["is_deleted"] else message)
    if decision["interaction_id"] != number:
        raise ReceiptError("The receipt is for another question.")
    yield Give(Answer(decision, receipt, message))


def interaction(number: int, wait: int = 0) -> Call:
    path = f"/api/interactions/{number}"
    return Call("GET", path, {"wait": wait or None}, idempotent=True, held=wait)


def cancel(number: int) -> Call:
    return Call("POST", f"/api/interactions/{number}/cancel", body={}, idempotent=True)


def stopped() -> ParleyError:
    """The error of a question that `stop` has abandoned. It stays in the channel."""
    return ParleyError("stopped", "The agent was stopped before the question ended.")


def _send(question: Question, name: str) -> Call:
    options = question.options
    kind = question.kind or ("approval" if options is None else "choice")
    asked = {"kind": kind, "who": question.who, "quorum": question.quorum, "expires_in": question.expires_in}
    body: dict[str, Any] = {
        "channel_slug": question.channel,
        "agent_name": name,
        "message": question.text,
        "client_msg_id": question.client_msg_id or secrets.token_urlsafe(16),
        "components": question.components or _rows(_APPROVAL if options is None else options),
        "interaction": {key: value for key, value in asked.items() if value is not None},
        **({} if question.thread is None else {"thread_root_id": question.thread}),
    }
    return Call("POST", "/api/agenthub/send", body=body, idempotent=True)


def _rows(options: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Puts five buttons into a row."""
    buttons = [{"type": "button", **option} for option in options]
    return [{"type": "row", "elements": buttons[at : at + 5]} for at in range(0, len(buttons), 5)]


__all__ = ["Answer", "Question", "ReceiptError", "cancel", "interaction", "plan", "stopped", "verify_receipt"]
