"""Which items `run` hands out, and how it reads on."""

from __future__ import annotations

import unittest

from parley_chat import ContextStale, ParleyError
from parley_chat._deliveries import RETRY_SECONDS, Deliveries, Read, outcome_of
from stand_in import item


class DeliveriesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.deliveries = Deliveries()

    def admit(self, *item_ids: int, now: float = 0, read: Read | None = None) -> list[int]:
        read = read or self.deliveries.next_read(now)
        return [each["item_id"] for each in self.deliveries.admit(read, [item(n) for n in item_ids], now)]

    def test_reads_all_and_waits_while_no_item_is_held(self) -> None:
        self.assertEqual(self.deliveries.next_read(5), Read(None, 30, 5))
        self.assertEqual(self.admit(1, 2), [1, 2])
        for item_id in (1, 2):
            self.deliveries.acknowledged(item_id, 6)
        self.assertEqual(self.deliveries.next_read(7), Read(None, 30, 7))

    def test_an_item_is_with_the_handler_once(self) -> None:
        self.assertEqual(self.admit(1), [1])
        self.assertEqual(self.deliveries.next_read(1), Read(1, 30, 1))
        self.assertEqual(self.admit(1, 2), [2])

    def test_a_page_that_was_read_before_the_acknowledgement_does_not_repeat_the_item(self) -> None:
        self.admit(1)
        self.deliveries.failed(9, 0)
        early = self.deliveries.next_read(1)
        self.deliveries.acknowledged(1, 2)
        self.assertEqual(self.admit(1, now=3, read=early), [])
        # A later page has it because the server was restored: it is another item.
        self.assertEqual(self.admit(1, now=4, read=Read(None, 0, 3)), [1])

    def test_a_failed_item_waits_for_its_time_while_newer_ones_are_awaited(self) -> None:
        self.admit(1)
        self.assertEqual(self.deliveries.failed(1, 10), RETRY_SECONDS[0])
        self.assertEqual(self.deliveries.next_read(11), Read(1, 29, 11))
        self.assertEqual(self.admit(2, now=12), [2])
        self.deliveries.acknowledged(2, 13)
        self.assertEqual(self.deliveries.next_read(40), Read(None, 0, 40))
        self.assertEqual(self.admit(1, now=40, read=Read(None, 0, 40)), [1])
        # It is being handled again, so nothing is due.
        self.assertEqual(self.deliveries.next_read(41).after_item_id, 2)

    def test_the_last_failure_leaves_the_item_pending_without_spinning(self) -> None:
        now = 0.0
        for wait in (*RETRY_SECONDS, None):
            self.assertEqual(self.admit(1, now=now, read=Read(None, 0, now)), [1])
            self.assertEqual(self.deliveries.failed(1, now), wait)
            now += wait or 0
        self.assertEqual(self.deliveries.next_read(now).wait, 0)
        self.assertEqual(self.admit(1, now=now, read=Read(None, 0, now)), [])
        self.assertGreater(self.deliveries.next_read(now + 1).wait, 0)

    def test_items_that_a_restored_server_numbers_below_others_are_found_within_a_minute(self) -> None:
        self.admit(5, now=0)
        self.assertEqual(self.deliveries.next_read(59), Read(5, 1, 59))
        self.assertEqual(self.deliveries.next_read(60), Read(None, 0, 60))
        self.assertEqual(self.admit(4, 5, now=60, read=Read(None, 0, 60)), [4])

    def test_a_failed_item_that_is_gone_is_forgotten(self) -> None:
        self.admit(1)
        self.deliveries.failed(1, 0)
        self.assertEqual(self.admit(now=30, read=Read(None, 0, 30)), [])
        self.assertEqual(self.deliveries.next_read(31), Read(None, 30, 31))


class OutcomeTest(unittest.TestCase):
    def test_only_refusals_that_last_drop_an_item(self) -> None:
        for error, outcome in (
            (RuntimeError("the model is away"), "keep"),
            (ParleyError("network_error", ""), "keep"),
            (ParleyError("rate_limited", "", status=429), "keep"),
            (ParleyError("internal_error", "", status=500), "keep"),
            (ContextStale("context_stale", "", status=409), "keep"),
            (ParleyError("loop_guard_tripped", "", status=429, retryable=False), "drop"),
            (ParleyError("muted", "", status=403), "drop"),
            (ParleyError("key_revoked", "", status=401), "end"),
            (ParleyError("agent_paused", "", status=403), "end"),
        ):
            self.assertEqual(outcome_of(error), outcome, error)


if __name__ == "__main__":
    unittest.main()
