"""A person stops an agent where it works on an item, for threads and for asyncio."""

from __future__ import annotations

import asyncio
import time
import unittest

from parley_chat import Agent, AsyncAgent
from parley_chat.models import InboxItem
from stand_in import KEY, StandIn, stopped_notice, when


class ThreadsTest(unittest.TestCase):
    def test_an_item_that_a_person_stops_is_acknowledged_although_its_handler_fails(self) -> None:
        with StandIn() as server, Agent(server.url, KEY, "Scout") as agent:
            server.add(1)
            stopped: list[bool] = []

            def handle(item: InboxItem) -> None:
                if item["kind"] == "notice":
                    return
                server.put(stopped_notice(2, thread=99), stopped_notice(3, thread=10))
                begun = time.monotonic()
                while not agent.is_stopped(item) and time.monotonic() - begun < 10:
                    time.sleep(0.005)
                stopped.append(agent.is_stopped(item))
                when(lambda: server.pending == [], agent.stop)
                raise RuntimeError("I was interrupted")

            agent.run(handle, concurrency=2, on_error=lambda *_: self.fail("the item did not fail"))
            self.assertEqual((stopped, server.pending), ([True], []))


class AsyncioTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_person_stops_the_handler_of_an_item(self) -> None:
        # Reading goes on although the only slot is taken, and items of other threads are handled as ever.
        with StandIn() as server:
            async with AsyncAgent(server.url, KEY, "Scout") as agent:
                server.add(1)
                ended: list[str] = []

                async def handle(item: InboxItem) -> None:
                    if item["kind"] == "notice":
                        ended.append("notice")
                    elif item["item_id"] == 1:
                        server.put(stopped_notice(2, thread=10))
                        try:
                            await asyncio.sleep(60)
                        finally:
                            ended.append("cancelled")
                            when(lambda: server.pending == [], lambda: loop.call_soon_threadsafe(agent.stop))

                loop = asyncio.get_running_loop()
                running = agent.run(handle, on_error=lambda *_: self.fail("the item did not fail"))
                await asyncio.wait_for(running, 10)
                self.assertEqual((ended, server.pending), (["cancelled", "notice"], []))


if __name__ == "__main__":
    unittest.main()
