"""When a failed call is sent again. Nothing here waits: the clients do."""

from __future__ import annotations

from dataclasses import dataclass

from ._calls import Call
from .errors import ParleyError

#: 503s that guarantee that nothing was done. After others the call may have been executed.
_REFUSED = frozenset({"overloaded", "draining", "not_ready"})
#: A loop that waits for something new keeps a `Retry-After` of at most this many seconds.
_LONGEST_LOOP_WAIT = 3_600


@dataclass(frozen=True)
class Backoff:
    """Waits between attempts in seconds: `first`, doubled each time, at most `longest`. Each is shortened by chance."""

    first: float = 0.5
    longest: float = 20.0

    def seconds(self, attempt: int, chance: float) -> float:
        """Returns the wait after attempt `attempt` (from 0): between half and all of it, as `chance` (0 to 1) says, so
        that clients that lost the server together do not return together."""
        whole = min(self.longest, self.first * 2 ** min(attempt, 30))
        return float(whole * (1 + chance) / 2)


@dataclass(frozen=True)
class RetryPolicy:
    """`max_retries` limits the retries of a call, `max_retry_after` the seconds of a `Retry-After` that it keeps."""

    max_retries: int = 4
    max_retry_after: float = 15.0
    backoff: Backoff = Backoff()

    def before_retry(self, call: Call, error: ParleyError, retries: int, chance: float) -> float | None:
        """Returns the seconds before the call is sent again; None: the error is raised.

        A call that is not idempotent is repeated only after an answer which says that nothing was done.
        """
        if not error.retryable or retries >= self.max_retries:
            return None
        if not (call.idempotent or error.status == 429 or error.code in _REFUSED):
            return None
        wait = self.backoff.seconds(retries, chance)
        if error.status not in (429, 503):
            return wait
        if call.fails_fast or (error.retry_after or 0) > self.max_retry_after:
            return None
        # Nothing is sent before `Retry-After`, and not by all clients in the same moment after it.
        return wait if error.retry_after is None else error.retry_after + self.backoff.first * chance

    def before_next_poll(self, error: ParleyError, failures: int, chance: float) -> float | None:
        """Returns the seconds before a loop that waits for something new tries again; None: the error is raised.

        Such a loop outlives restarts of the server and, because the next release may correct them, its bugs (500).
        """
        if not (error.retryable or error.status >= 500) or (error.retry_after or 0) > _LONGEST_LOOP_WAIT:
            return None
        return max(error.retry_after or 0, self.backoff.seconds(failures, chance))
