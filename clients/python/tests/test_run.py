"""`inbox` and `run` against a stand-in, for threads and for asyncio."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
from typing import Any

from parley_chat import Agent, AsyncAgent, Backoff, LoopGuardTripped, ParleyError
from parley_chat.models import InboxItem
from stand_in import KEY, Answer, StandIn, dripping_server, error, when

QUICK = Backoff(first=0.01, longest=0.05)
INBOX, ACK = "/api/agenthub/inbox", "/api/agenthub/inbox/ack"


def agent_of(server: StandIn) -> Agent:
    return Agent(server.url, KEY, "Scout", backoff=QUICK)


def async_agent_of(server: StandIn) -> AsyncAgent:
    return AsyncAgent(server.url, KEY, "Scout", backoff=QUICK)


def once(path: str, answer: Answer) -> Any:
    """A handler that answers the first request of a path with this."""
    answers = [answer]
    return lambda _method, requested, _fields: answers.pop() if requested == path and answers else None


class ThreadsTest(unittest.TestCase):
    def test_the_loop_acknowledges_an_item_when_it_asks_for_the_next(self) -> None:
        with StandIn() as server, agent_of(server) as agent:
            server.add(1, 2)
            pending = []
            for item in agent.inbox():
                pending.append(server.pending)
                agent.reply(item, f"Answer {item['item_id']}")
                if item["item_id"] == 2:
                    agent.stop()
            self.assertEqual((pending, server.pending), ([[1, 2], [2]], []))
            self.assertEqual(server.sent, {"reply-1-0": "Answer 1", "reply-2-0": "Answer 2"})

    def test_a_loop_keeps_its_agent(self) -> None:
        with StandIn() as server:
            server.add(1)
            self.assertEqual([item["item_id"] for item in agent_of(server).inbox(wait=0)], [1])

    def test_an_item_whose_handling_failed_is_delivered_again(self) -> None:
        with StandIn() as server, agent_of(server) as agent:
            server.add(1)
            with self.assertRaises(RuntimeError):
                for _ in agent.inbox():
                    raise RuntimeError("the handler broke")
            self.assertEqual(next(iter(agent.inbox()))["item_id"], 1)

    def test_run_goes_on_to_newer_items_after_a_failure_and_does_not_spin(self) -> None:
        with StandIn() as server, agent_of(server) as agent:
            server.add(1)
            handled: list[int] = []
            failures: list[tuple[int, str]] = []

            def handle(item: InboxItem) -> None:
                handled.append(item["item_id"])
                if item["item_id"] == 1:
                    when(lambda: server.count(INBOX) == 2, lambda: server.add(2))
                    raise RuntimeError("the model is away")
                agent.stop()

            agent.run(handle, on_error=lambda item, problem: failures.append((item["item_id"], str(problem))))
            self.assertEqual((handled, failures, server.pending), ([1, 2], [(1, "the model is away")], [1]))
            self.assertEqual(server.count(INBOX), 2)

    def test_run_handles_items_at_once_and_each_one_once(self) -> None:
        with StandIn() as server, agent_of(server) as agent:
            server.add(*range(1, 31))
            together = threading.Barrier(3, timeout=10)
            handled: list[int] = []

            def handle(item: InboxItem) -> None:
                together.wait()
                handled.append(item["item_id"])
                if len(handled) == 30:
                    agent.stop()

            agent.run(handle, concurrency=3)
            self.assertEqual((sorted(handled), server.pending), (list(range(1, 31)), []))

    def test_run_drops_what_the_server_refuses_and_ends_when_the_key_is_refused(self) -> None:
        for concurrency in (1, 2):
            refusals = [error("loop_guard_tripped", 429, retryable=False, retry_after=600), error("key_revoked", 401)]
            path = "/api/agenthub/send"
            answers = iter(refusals)
            with StandIn(lambda _, asked, __: next(answers) if asked == path else None) as server:
                with agent_of(server) as agent:
                    server.add(1)
                    problems: list[Exception] = []

                    def note(_: InboxItem, problem: Exception) -> None:
                        problems.append(problem)
                        server.add(2)

                    with self.assertRaises(ParleyError) as caught:
                        agent.run(lambda item: agent.reply(item, "Yes."), concurrency=concurrency, on_error=note)
                    self.assertEqual(caught.exception.code, "key_revoked")
                    self.assertEqual([type(problem) for problem in problems], [LoopGuardTripped])
                    self.assertEqual(server.pending, [2])

    def test_a_lost_acknowledgement_is_sent_again(self) -> None:
        with StandIn(once(ACK, error("storage_unavailable", 503, retry_after=0))) as server, agent_of(server) as agent:
            server.add(1)
            agent.run(lambda _: agent.stop())
            self.assertLessEqual(server.count(ACK), 1)
        with StandIn(once(ACK, error("internal_error", 500))) as server, agent_of(server) as agent:
            server.add(1, 2)
            agent.run(lambda item: agent.stop() if item["item_id"] == 2 else None)
            self.assertEqual((server.pending, server.count(ACK)), ([], 3))

    def test_a_stop_ends_waits_at_once(self) -> None:
        for handler in (lambda *_: None, lambda *_: error("internal_error", 500)):
            with StandIn(handler) as server, Agent(server.url, KEY, "Scout", backoff=Backoff(60, 60)) as agent:
                when(lambda: server.count(INBOX) == 1, agent.stop)
                begun = time.monotonic()
                self.assertEqual(list(agent.inbox()), [])
                self.assertLess(time.monotonic() - begun, 10)

    def test_long_waits_and_refusals_are_raised_at_once(self) -> None:
        for answer in (
            error("loop_guard_tripped", 429, retryable=False, retry_after=1),
            error("slow_mode", 429, retry_after=60),
            error("invalid_api_key", 401),
            error("agent_paused", 403),
        ):
            with StandIn(lambda *_: answer) as server, agent_of(server) as agent:
                with self.assertRaises(ParleyError) as caught:
                    agent.send("general", "hi")
                self.assertEqual(caught.exception.code, answer[1]["code"])
                self.assertEqual(len(server.requests), 1)

    def test_retry_after_is_kept_and_the_send_keeps_its_key(self) -> None:
        with StandIn(once("/api/agenthub/send", error("rate_limited", 429, retry_after=1))) as server:
            with agent_of(server) as agent:
                begun = time.monotonic()
                agent.send("general", "hi")
                self.assertGreaterEqual(time.monotonic() - begun, 1)
                keys = {fields["client_msg_id"] for _, _, fields in server.requests}
                self.assertEqual((len(server.requests), len(keys)), (2, 1))

    def test_the_only_name_of_the_key_is_used(self) -> None:
        for name in ("Scout", None):
            me = (200, {"default_agent_name": name})
            with StandIn(lambda _, path, __: me if path == "/api/agenthub/me" else None) as server:
                with Agent(server.url, KEY) as agent:
                    if name is None:
                        self.assertRaises(ValueError, agent.send, "general", "hi")
                        continue
                    agent.send("general", "one")
                    agent.send("general", "two")
                    names = [fields["agent_name"] for _, path, fields in server.requests if path.endswith("send")]
                    self.assertEqual((names, server.count("/api/agenthub/me")), (["Scout", "Scout"], 1))

    def test_no_text_of_the_agent_has_the_key(self) -> None:
        agent = Agent("http://127.0.0.1:1", KEY, "Scout", max_retries=0)
        with self.assertRaises(ParleyError) as caught:
            agent.me()
        error: BaseException | None = caught.exception
        self.assertEqual(caught.exception.code, "network_error")
        while error is not None:
            self.assertNotIn("secret", f"{error} {error!r} {error.args}")
            error = error.__cause__ or error.__context__
        self.assertNotIn("secret", repr(agent))
        agent.close()


class AsyncioTest(unittest.IsolatedAsyncioTestCase):
    async def test_the_loop_acknowledges_an_item_when_it_asks_for_the_next(self) -> None:
        with StandIn() as server:
            async with async_agent_of(server) as agent:
                server.add(1, 2)
                pending = []
                async for item in agent.inbox():
                    pending.append(server.pending)
                    await agent.reply(item, f"Answer {item['item_id']}")
                    if item["item_id"] == 2:
                        agent.stop()
                self.assertEqual((pending, server.pending), ([[1, 2], [2]], []))

    async def test_run_handles_items_at_once_and_goes_on_after_a_failure(self) -> None:
        with StandIn() as server:
            async with async_agent_of(server) as agent:
                server.add(*range(1, 11))
                failed = asyncio.Event()
                handled: list[int] = []

                async def handle(item: InboxItem) -> None:
                    if item["item_id"] == 1:
                        failed.set()
                        raise RuntimeError("the model is away")
                    await failed.wait()
                    handled.append(item["item_id"])
                    if len(handled) == 9:
                        agent.stop()

                await agent.run(handle, concurrency=4, on_error=lambda *_: None)
                self.assertEqual((sorted(handled), server.pending), (list(range(2, 11)), [1]))

    async def test_run_ends_when_the_key_is_refused(self) -> None:
        path = "/api/agenthub/send"
        with StandIn(lambda _, asked, __: error("key_revoked", 401) if asked == path else None) as server:
            async with async_agent_of(server) as agent:
                server.add(1)
                with self.assertRaises(ParleyError) as caught:
                    await agent.run(lambda item: agent.reply(item, "Yes."), concurrency=2)
                self.assertEqual((caught.exception.code, server.pending), ("key_revoked", [1]))

    async def test_the_indicator_ends_with_work_that_is_over_at_once(self) -> None:
        async def show() -> None:
            async with AsyncAgent(server.url, KEY, "Scout") as agent:
                for pause in range(10):
                    async with agent.thinking("general"):
                        await asyncio.sleep(pause / 5_000)

        with StandIn() as server:
            for _ in range(5):
                await asyncio.wait_for(show(), 10)
            shown = [fields["typing"] for _, _, fields in server.requests]
            self.assertEqual(shown, [True, False] * 50)

    async def test_cancelling_ends_a_wait_at_once_and_leaves_the_item_pending(self) -> None:
        with StandIn() as server:
            async with async_agent_of(server) as agent:
                begun = asyncio.Event()

                async def handle(_: InboxItem) -> None:
                    begun.set()
                    await asyncio.sleep(60)

                running = asyncio.ensure_future(agent.run(handle))
                server.add(1)
                await asyncio.wait_for(begun.wait(), 10)
                running.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await asyncio.wait_for(running, 10)
                self.assertEqual(server.pending, [1])

    async def test_a_stop_ends_waits_at_once(self) -> None:
        with StandIn() as server:
            async with async_agent_of(server) as agent:
                loop = asyncio.get_running_loop()
                when(lambda: server.count(INBOX) == 1, lambda: loop.call_soon_threadsafe(agent.stop))
                self.assertEqual(await asyncio.wait_for(collected(agent), 10), [])

    async def test_an_answer_that_drips_ends_at_the_timeout(self) -> None:
        def call(url: str) -> None:
            with Agent(url, KEY, "Scout", timeout=0.5, max_retries=0) as agent:
                agent.me()

        with dripping_server() as url:
            async with AsyncAgent(url, KEY, "Scout", timeout=0.5, max_retries=0) as agent:
                for attempt in (agent.me(), asyncio.to_thread(call, url)):
                    with self.assertRaises(ParleyError) as caught:
                        await asyncio.wait_for(attempt, 10)
                    self.assertEqual(caught.exception.code, "timeout")


async def collected(agent: AsyncAgent) -> list[InboxItem]:
    return [item async for item in agent.inbox()]


if __name__ == "__main__":
    unittest.main()
