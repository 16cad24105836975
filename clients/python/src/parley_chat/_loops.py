"""What an agent does for longer than one call, for threads."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from . import _calls
from ._calls import THINKING_SECONDS
from ._event_stream import SILENT_SECONDS, AgentEvent, EventParser, StreamPosition
from ._http import Http
from ._plans import Give, Plan
from .errors import ParleyError

T = TypeVar("T")


def follow(http: Http, plan: Plan[T]) -> Iterator[T]:
    """Carries a plan out and yields its items, until `http.stop`."""
    answer: Any = None
    while True:
        try:
            step = plan.send(answer)
        except StopIteration:
            return
        if isinstance(step, Give):
            if http.stop.is_set:
                return
            yield step.item
            answer = None
        else:
            answer = http.poll(step.call, is_owed=step.is_owed)
            if answer is None:
                return


def events(http: Http, last_event_id: str | None) -> Iterator[AgentEvent]:
    """Yields the events of the stream and connects again whenever it ends; see `Agent.events`."""
    position = StreamPosition(last_event_id)
    failures = 0
    while not http.stop.is_set:
        parser = EventParser()
        try:
            with http.stream(_calls.events(), position.headers, SILENT_SECONDS) as chunks:
                for chunk in chunks:
                    failures = 0
                    for frame in parser.feed(chunk):
                        event = position.take(frame)
                        if event is not None and not http.stop.is_set:
                            yield event
            problem = ParleyError("network_error", "The stream ended.")
        except ParleyError as error:
            problem = error
        if http.stop.is_set:
            return
        wait = position.before_reconnect(problem, failures, http.retries, random.random())
        if wait is None:
            raise problem
        http.stop.wait(wait)
        failures += 1


@contextmanager
def thinking(http: Http, place: _calls.Place, name: str) -> Iterator[None]:
    """Shows the indicator, again and again, while the `with` statement runs."""
    done = threading.Event()

    def show(is_thinking: bool) -> None:
        try:
            http.attempt(_calls.typing(place, name, is_thinking))
        except ParleyError:
            # The indicator is worth no retry.
            pass

    def keep_showing() -> None:
        show(True)
        while not done.wait(THINKING_SECONDS):
            show(True)
        # In this thread, so that the end is never sent before the start.
        show(False)

    thread = threading.Thread(target=keep_showing, name="parley-thinking", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
