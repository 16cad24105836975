"""Parsing of server-sent events, and the position in their stream."""

from __future__ import annotations

import json
import unittest
from typing import Any

from parley_chat import Backoff, ParleyError
from parley_chat._event_stream import EventParser, Frame, StreamPosition
from parley_chat._retries import RetryPolicy

POLICY = RetryPolicy(backoff=Backoff(first=1, longest=4))


def frame(event: str, data: Any, event_id: str | None = None) -> Frame:
    return Frame(event, event_id, json.dumps(data))


class ParserTest(unittest.TestCase):
    def test_blocks_are_found_wherever_the_bytes_are_cut(self) -> None:
        text = (
            "retry: 1000\n\n: heartbeat\n\n"
            'event: a\nid: 1:2\ndata: {"x":"你好 👍"}\r\n\r\n'
            "id: 1:3\n\ndata: 1\ndata: 2\n\n"
        )
        expected = [Frame("a", "1:2", '{"x":"你好 👍"}'), Frame("message", "1:3", None), Frame("message", None, "1\n2")]
        encoded = text.encode()
        for size in (1, 2, 3, 7, len(encoded)):
            parser = EventParser()
            found = [each for n in range(0, len(encoded), size) for each in parser.feed(encoded[n : n + size])]
            self.assertEqual(found, expected)

    def test_a_block_without_its_empty_line_is_no_event(self) -> None:
        self.assertEqual(EventParser().feed(b"event: a\ndata: 1\n"), [])


class PositionTest(unittest.TestCase):
    def taken(self, position: StreamPosition, *frames: Frame) -> list[str]:
        events = [position.take(each) for each in frames]
        return [f"{event.event} {event.data.get('seq', '')}" for event in events if event is not None]

    def test_events_of_a_channel_are_taken_once_and_in_order(self) -> None:
        position = StreamPosition("1:4,2:9@100/aa")
        new = [frame("message:new", {"channel_id": 1, "seq": seq}, f"1:{seq}@101/aa") for seq in (4, 5, 5, 6)]
        self.assertEqual(self.taken(position, *new), ["message:new 5", "message:new 6"])
        self.assertEqual(position.headers["Last-Event-ID"], "1:6@101/aa")
        reset = frame("channel:reset", {"channel_id": 2, "seq": 3})
        self.assertEqual(self.taken(position, reset), ["channel:reset 3"])

    def test_mentions_and_items_are_taken_once(self) -> None:
        position = StreamPosition(None)
        mention = frame("mention:new", {"channel_id": 1, "chat_message": {"id": 5}})
        item = frame("inbox:new", {"item": {"item_id": 5}})
        self.assertEqual(self.taken(position, mention, item, mention, item), ["mention:new ", "inbox:new "])
        names = [frame("mention:new", {"mention_id": n, "chat_message": {"id": 6}}) for n in (7, 8, 7)]
        self.assertEqual(len(self.taken(position, *names)), 2)

    def test_a_block_with_an_id_alone_moves_the_position(self) -> None:
        position = StreamPosition(None)
        self.assertNotIn("Last-Event-ID", position.headers)
        self.assertIsNone(position.take(Frame("message", "1:7@5/aa", None)))
        self.assertEqual(position.headers["Last-Event-ID"], "1:7@5/aa")

    def test_restored_data_uses_numbers_again(self) -> None:
        position = StreamPosition(None)
        frames = [frame("message:new", {"channel_id": 1, "seq": 5}, f"1:5@1/{epoch}") for epoch in ("aa", "bb")]
        self.assertEqual(len(self.taken(position, *frames)), 2)

    def test_the_end_of_the_stream_is_an_error_that_lasts(self) -> None:
        with self.assertRaises(ParleyError) as caught:
            StreamPosition(None).take(frame("stream:end", {"code": "key_revoked", "error": "Revoked."}))
        error = caught.exception
        self.assertEqual((error.code, error.status), ("key_revoked", 401))
        self.assertIsNone(StreamPosition(None).before_reconnect(error, 0, POLICY, 0.5))

    def test_a_draining_server_names_the_time_to_return(self) -> None:
        position = StreamPosition(None)
        position.take(frame("server:draining", {"retry_within_ms": 2000}))
        lost = ParleyError("network_error", "")
        self.assertEqual([position.before_reconnect(lost, 9, POLICY, 0.5) for _ in range(2)], [1.0, 3.0])


if __name__ == "__main__":
    unittest.main()
