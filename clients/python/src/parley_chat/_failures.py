"""The failures and the timeouts of httpx, for both clients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from ._calls import Call
from .errors import ParleyError

_CONNECT_SECONDS = 10.0


def timeouts(read_seconds: float, call_seconds: float) -> httpx.Timeout:
    """Returns the limits of one request."""
    return httpx.Timeout(read_seconds, connect=min(_CONNECT_SECONDS, call_seconds), pool=call_seconds)


@contextmanager
def failures_named(call: Call) -> Iterator[None]:
    """Turns failures of httpx into ParleyErrors, whose texts have no header of the request."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise ParleyError("timeout", f"{call.method} {call.path}: no answer in time.") from error
    except httpx.RequestError as error:
        reason = str(error) or type(error).__name__
        raise ParleyError("network_error", f"{call.method} {call.path}: {reason}") from error
