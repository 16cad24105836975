"""Uploads and downloads against a small server."""

from __future__ import annotations

import asyncio
import tempfile
import unittest
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from parley_chat import Agent, AsyncAgent, Backoff, ParleyError
from stand_in import KEY, Answer, StandIn, error

CHART = bytes(range(256)) * 2_000


def records(fields: dict[str, Any]) -> Answer:
    return 201, {"file": {"file_id": 7, "name": "chart.png", "status": "ready"}}


class Files(unittest.TestCase):
    def setUp(self) -> None:
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.chart = self.folder / "chart.png"
        self.chart.write_bytes(CHART)

    def agent(self, server: StandIn) -> Agent:
        return self.stack.enter_context(Agent(server.url, KEY, "Scout", backoff=Backoff(0.01, 0.02)))

    def test_an_upload_sends_the_bytes_the_name_and_then_the_alternative_text(self) -> None:
        with StandIn(lambda method, path, fields: records(fields) if path == "/api/files" else None) as server:
            self.assertEqual(self.agent(server).upload(self.chart, alt_text="A rising line")["file_id"], 7)
            form: bytes = server.requests[-1][2]["form"]
        self.assertIn(b'name="file"; filename="chart.png"', form)
        self.assertIn(CHART, form)
        self.assertGreater(form.index(b"A rising line"), form.index(CHART))

    def test_an_upload_that_the_server_put_off_sends_the_whole_file_again(self) -> None:
        answers = [error("overloaded", 503), error("rate_limited", 429, retry_after=0), records({})]
        with StandIn(lambda method, path, fields: answers.pop(0)) as server:
            self.agent(server).upload(self.chart)
            self.assertEqual([CHART in fields["form"] for _, _, fields in server.requests], [True] * 3)

    def test_bytes_need_a_name(self) -> None:
        with StandIn() as server, self.assertRaisesRegex(ValueError, "name"):
            self.agent(server).upload(b"x")

    def test_a_send_names_its_files_its_thread_and_its_end(self) -> None:
        with StandIn() as server:
            agent = self.agent(server)
            agent.send("general", "", files=[7], thread=3, also_in_channel=True, expires_in=60, link_previews=False)
            fields = server.requests[-1][2]
        wanted = {"file_ids": [7], "thread_root_id": 3, "also_in_channel": True, "expires_in": 60, "message": ""}
        wanted["link_previews"] = False
        self.assertEqual({name: fields.get(name) for name in wanted}, wanted)

    def test_a_plain_send_names_none_of_them(self) -> None:
        with StandIn() as server:
            self.agent(server).send("general", "hello")
            given = set(server.requests[-1][2])
        self.assertEqual(given, {"channel_slug", "message", "agent_name", "client_msg_id"})

    def test_a_file_is_read_up_to_a_limit(self) -> None:
        with StandIn(lambda method, path, fields: (200, {"bytes": CHART})) as server:
            agent = self.agent(server)
            self.assertEqual(agent.read_file(7), CHART)
            with self.assertRaises(ParleyError) as raised:
                agent.read_file(7, max_bytes=len(CHART) - 1)
        self.assertEqual(raised.exception.code, "file_too_large")

    def test_a_file_is_saved_whole_or_not_at_all(self) -> None:
        answers: list[Answer] = [(200, {"bytes": CHART, "missing": 5}), (200, {"bytes": CHART})]
        with StandIn(lambda method, path, fields: answers.pop(0)) as server:
            agent = self.agent(server)
            target = self.folder / "copy.png"
            with self.assertRaises(ParleyError):
                agent.save_file(7, target)
            self.assertEqual([path.name for path in self.folder.iterdir()], ["chart.png"])
            agent.save_file(7, target)
        self.assertEqual(target.read_bytes(), CHART)

    def test_a_refused_download_raises_its_code(self) -> None:
        with StandIn(lambda method, path, fields: error("file_not_found", 404)) as server:
            with self.assertRaises(ParleyError) as raised:
                self.agent(server).save_file(7, self.folder / "copy.png")
        self.assertEqual((raised.exception.code, raised.exception.status), ("file_not_found", 404))

    def test_asyncio_uploads_and_reads_files_too(self) -> None:
        async def act(url: str) -> bytes:
            async with AsyncAgent(url, KEY, "Scout") as agent:
                file = await agent.upload(self.chart, alt_text="A rising line")
                await agent.save_file(file, self.folder / "copy.png")
                return await agent.read_file(file)

        def answer(method: str, path: str, fields: dict[str, Any]) -> Answer:
            return records(fields) if method == "POST" else (200, {"bytes": CHART})

        with StandIn(answer) as server:
            self.assertEqual(asyncio.run(act(server.url)), CHART)
        self.assertEqual((self.folder / "copy.png").read_bytes(), CHART)


if __name__ == "__main__":
    unittest.main()
