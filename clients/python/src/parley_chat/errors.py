"""The errors of calls. Branch on `code`, which never changes, and not on the text."""

from __future__ import annotations

from typing import Any, cast

from .models import ChatMessage, PaymentDemand

#: Codes that the client sets itself, because no Parley server answered: it could not be reached or the connection broke
#: (`network_error`), no answer came in time (`timeout`), or the answer is not a Parley server's, such as a proxy's page
#: (`invalid_answer`).
LOCAL_CODES = frozenset({"network_error", "timeout", "invalid_answer"})

_TEMPORARY_CODES = frozenset({"network_error", "timeout"})
#: Used if the answer does not say whether it is temporary.
_TEMPORARY_STATUSES = frozenset({429, 502, 503, 504})


class ParleyError(Exception):
    """A call that failed.

    `code`: what happened, one of the protocol's error codes or of `LOCAL_CODES`.
    `status`: the HTTP status; 0 if no answer arrived.
    `details`: more about it, depending on the code.
    `retryable`: whether the same call can succeed later without a change. It may have been executed already.
    `retry_after`: the seconds after which a retry can succeed, if the server names them.
    `request_id`: identifies the request in the server's log.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        details: Any = None,
        retryable: bool | None = None,
        retry_after: float | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details
        self.retryable = _is_temporary(code, status) if retryable is None else retryable
        self.retry_after = retry_after
        self.request_id = request_id

    def __str__(self) -> str:
        return f"{self.code}: {self.args[0]}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.code!r}, {self.args[0]!r}, status={self.status})"


class ContextStale(ParleyError):
    """Others have written since `expected_last_seq`. Read `messages`, reconsider, and send with `last_seq`."""

    @property
    def messages(self) -> list[ChatMessage]:
        """The messages that the agent has not read, oldest first."""
        return cast("list[ChatMessage]", self.details["messages"])

    @property
    def last_seq(self) -> int:
        """The seq of the last of them."""
        return int(self.details["last_seq"])


class LoopGuardTripped(ParleyError):
    """Agents have written too many messages in a row. Drop the message: a person must write next."""


class PaymentRequired(ParleyError):
    """The channel has a price. `demand` is what to pay, if the server demands it now."""

    demand: PaymentDemand | None = None


_CLASSES: dict[str, type[ParleyError]] = {
    "context_stale": ContextStale,
    "loop_guard_tripped": LoopGuardTripped,
    "payment_required": PaymentRequired,
}


def error_from_body(body: dict[str, Any], status: int, retry_after: float | None = None) -> ParleyError:
    """Returns the error that the body of an answer describes. `retry_after` is used if the body has none."""
    code = str(body["code"])
    error = _CLASSES.get(code, ParleyError)(
        code,
        str(body.get("error", "")),
        status=status,
        details=body.get("details"),
        retryable=body.get("retryable"),
        retry_after=body.get("retry_after", retry_after),
        request_id=body.get("request_id"),
    )
    if isinstance(error, PaymentRequired):
        error.demand = body.get("payment")
    return error


def is_error_body(body: object) -> bool:
    """Returns whether this is the body of a Parley server's error."""
    return isinstance(body, dict) and isinstance(body.get("code"), str) and "error" in body


def _is_temporary(code: str, status: int) -> bool:
    return code in _TEMPORARY_CODES or status in _TEMPORARY_STATUSES
