"""What an agent does for longer than one call, for asyncio."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from . import _calls
from ._async_http import AsyncHttp
from ._calls import THINKING_SECONDS
from ._event_stream import SILENT_SECONDS, AgentEvent, EventParser, StreamPosition
from ._plans import Give, Plan
from .errors import ParleyError

T = TypeVar("T")


async def follow(http: AsyncHttp, plan: Plan[T]) -> AsyncIterator[T]:
    """Carries a plan out and yields its items, until `http` is stopped."""
    answer: Any = None
    while True:
        try:
            step = plan.send(answer)
        except StopIteration:
            return
        if isinstance(step, Give):
            if http.is_stopped:
                return
            yield step.item
            answer = None
        else:
            answer = await http.poll(step.call, is_owed=step.is_owed)
            if answer is None:
                return


async def events(http: AsyncHttp, last_event_id: str | None) -> AsyncIterator[AgentEvent]:
    """Yields the events of the stream and connects again whenever it ends; see `Agent.events`."""
    position = StreamPosition(last_event_id)
    failures = 0
    while not http.is_stopped:
        parser = EventParser()
        try:
            async with http.stream(_calls.events(), position.headers, SILENT_SECONDS) as chunks:
                while (chunk := await http.next_of(chunks)) is not None:
                    failures = 0
                    for frame in parser.feed(chunk):
                        event = position.take(frame)
                        if event is not None and not http.is_stopped:
                            yield event
            problem = ParleyError("network_error", "The stream ended.")
        except ParleyError as error:
            problem = error
        if http.is_stopped:
            return
        wait = position.before_reconnect(problem, failures, http.retries, random.random())
        if wait is None:
            raise problem
        await http.pause(wait)
        failures += 1


@asynccontextmanager
async def thinking(http: AsyncHttp, place: _calls.Place, name: str) -> AsyncIterator[None]:
    """Shows the indicator, again and again, while the `async with` statement runs."""

    async def show(is_thinking: bool) -> None:
        try:
            await http.attempt(_calls.typing(place, name, is_thinking))
        except ParleyError:
            # The indicator is worth no retry.
            pass

    done = asyncio.Event()

    async def keep_showing() -> None:
        while not done.is_set():
            await show(True)
            await asyncio.wait({ending}, timeout=THINKING_SECONDS)
        await show(False)

    ending = asyncio.ensure_future(done.wait())
    showing = asyncio.ensure_future(keep_showing())
    try:
        yield
    finally:
        # The call in progress is completed, because its cancellation can get lost (in httpcore 0.16, and in `wait_for`
        # before Python 3.12).
        done.set()
        await showing
