"""The parts without input and output: calls, retries, answers, and what the loops do in which order."""

from __future__ import annotations

import json
import unittest
from typing import Any

from parley_chat import Backoff, ContextStale, LoopGuardTripped, ParleyError, PaymentRequired, _calls, _plans
from parley_chat._answers import Credentials
from parley_chat._commanding import set_commands
from parley_chat._plans import Fetch, Give
from parley_chat._profiles import profiles
from parley_chat._retries import RetryPolicy
from parley_chat._streams import AnswerWriter
from parley_chat._working import sessions, set_session
from stand_in import item

KEY = "ply_abc_secret"
CREDENTIALS = Credentials("https://chat.example.org/", KEY)


class CallsTest(unittest.TestCase):
    def test_every_send_has_a_key_of_its_own(self) -> None:
        first, second = (_calls.send("general", "hi", "Scout") for _ in range(2))
        keys = [json.loads(call.content or b"")["client_msg_id"] for call in (first, second)]
        self.assertEqual([len(key) for key in keys], [32, 32])
        self.assertNotEqual(*keys)
        self.assertTrue(first.idempotent)

    def test_a_reply_is_named_after_its_item_or_mention(self) -> None:
        mention: Any = {"mention_id": 7, "message_id": 70, "channel_slug": "general", "agent_name": "Scout"}
        for subject in (item(7), mention):
            body = json.loads(_calls.reply(subject, "好", "Scout", 0).content or b"")
            self.assertEqual((body["client_msg_id"], body["reply_to_id"], body["message"]), ("reply-7-0", 70, "好"))

    def test_a_notice_cannot_be_replied_to(self) -> None:
        notice = item(7)
        notice["chat_message"], notice["channel_slug"] = None, None
        with self.assertRaises(ValueError):
            _calls.reply(notice, "hi", "Scout", 0)

    def test_a_path_cannot_name_another_server(self) -> None:
        for path in ("@evil.example/", ".evil.example/", "http://evil.example/", ""):
            self.assertRaises(ValueError, _calls.Call, "GET", path)

    def test_absent_fields_are_not_sent_and_booleans_are_lower_case(self) -> None:
        target = "/api/agenthub/mentions?agent_name=My+Bot&mark_read=false"
        self.assertEqual(_calls.mentions("My Bot", None, 0).target, target)
        self.assertEqual(_calls.react(1, "👍/", True).target, "/api/messages/1/reactions/%F0%9F%91%8D%2F")
        self.assertEqual(_calls.events().target, "/api/agenthub/events")
        body = json.loads(_calls.login("general", "Scout", None).content or b"")
        self.assertEqual(body, {"channel_slug": "general", "agent_name": "Scout"})

    def test_profiles_are_asked_for_together(self) -> None:
        self.assertEqual(profiles(["ana", "li lei"]).target, "/api/profiles?usernames=ana%2Cli+lei")

    def test_commands_are_sent_in_their_order(self) -> None:
        call = set_commands("Scout", {"deploy": "Deploy a branch", "a": "b"}, None)
        commands = [{"command": "deploy", "description": "Deploy a branch"}, {"command": "a", "description": "b"}]
        self.assertEqual(call.body, {"agent_name": "Scout", "channel_slug": None, "commands": commands})

    def test_a_session_keeps_its_title_unless_one_is_given(self) -> None:
        call = set_session("Scout", "general", 7, "working", None)
        body = {"channel_slug": "general", "thread_root_id": 7, "agent_name": "Scout", "state": "working"}
        self.assertEqual(call.body, body)
        self.assertEqual(set_session("Scout", "general", 7, "done", "").body, {**body, "state": "done", "title": ""})
        self.assertEqual(sessions(3, "gone,done", None).target, "/api/channels/3/sessions?state=gone%2Cdone")

    def test_acts_are_sent_once_and_again_after_a_refusal(self) -> None:
        writer = AnswerWriter("general", "Scout", 0, "key")
        writer.started({"stream_id": 1, "length": 0, "state": "open"})
        read = {"id": "1", "title": "config.json", "kind": "read", "status": "running"}
        writer.take({"activity": [read]})
        writer.take({"activity": [{"id": "1", "status": "ok"}]})
        first = writer.append()
        done = {**read, "status": "ok"}
        self.assertEqual(first and first.body, {"status": None, "activity": [done]})
        writer.refused(ParleyError("offset_mismatch", "", details={"length": 0}))
        timed: dict[str, object] = {**done, "ms": 5}
        self.assertEqual(writer.finish({"activity": [timed]}).body, {"activity": [timed]})
        # Of a flood the newest are sent, as the server keeps them.
        flood = [{"id": str(n), "title": f"Step {n}", "kind": "read", "status": "ok"} for n in range(120)]
        writer.take({"activity": flood})
        self.assertEqual(writer.finish().body, {"activity": flood[-50:]})


class RetryTest(unittest.TestCase):
    policy = RetryPolicy(max_retries=2, max_retry_after=15, backoff=Backoff(first=1, longest=3))
    read = _calls.me()
    write = _calls.Call("POST", "/api/x")

    def test_the_backoff_doubles_up_to_its_limit_with_jitter(self) -> None:
        backoff = self.policy.backoff
        self.assertEqual([backoff.seconds(n, 1) for n in range(4)], [1, 2, 3, 3])
        self.assertEqual([backoff.seconds(n, 0) for n in (0, 10_000)], [0.5, 1.5])

    def test_a_lost_answer_is_retried_only_where_that_is_safe(self) -> None:
        lost = ParleyError("network_error", "")
        self.assertEqual(self.policy.before_retry(self.read, lost, 0, 1), 1)
        self.assertIsNone(self.policy.before_retry(self.write, lost, 0, 1))
        self.assertIsNone(self.policy.before_retry(self.read, lost, 2, 1))

    def test_retry_after_is_kept_up_to_a_limit(self) -> None:
        def limited(seconds: float) -> ParleyError:
            return ParleyError("rate_limited", "", status=429, retry_after=seconds)

        self.assertEqual(self.policy.before_retry(self.write, limited(15), 0, 0), 15)
        self.assertIsNone(self.policy.before_retry(self.write, limited(16), 0, 0))
        self.assertIsNone(self.policy.before_retry(_calls.typing("general", "Scout", True), limited(1), 0, 0))

    def test_the_indicator_is_shown_where_an_item_asks(self) -> None:
        asked: Any = {"mention_id": 1, "channel_slug": "general", "message_id": 7, "thread_root_id": 5}
        self.assertEqual((_calls.typing(asked, "Scout", True).body or {}).get("thread_root_id"), 5)
        self.assertNotIn("thread_root_id", _calls.typing("general", "Scout", True).body or {})

    def test_a_503_that_may_have_been_executed_repeats_no_write(self) -> None:
        for code, expected in (("draining", 1.0), ("storage_unavailable", None)):
            error = ParleyError(code, "", status=503, retry_after=1)
            self.assertEqual(self.policy.before_retry(self.write, error, 0, 0), expected)

    def test_what_is_not_retryable_is_raised_whatever_retry_after_says(self) -> None:
        guard = ParleyError("loop_guard_tripped", "", status=429, retryable=False, retry_after=1)
        self.assertIsNone(self.policy.before_retry(self.read, guard, 0, 0))
        self.assertIsNone(self.policy.before_next_poll(guard, 0, 0))
        for status in (401, 403, 404):
            self.assertIsNone(self.policy.before_next_poll(ParleyError("x", "", status=status), 0, 0))

    def test_a_loop_outlives_restarts_bugs_and_long_waits(self) -> None:
        for error, expected in (
            (ParleyError("network_error", ""), 3.0),
            (ParleyError("internal_error", "", status=500), 3.0),
            (ParleyError("rate_limited", "", status=429, retry_after=60), 60.0),
            (ParleyError("rate_limited", "", status=429, retry_after=10**9), None),
        ):
            self.assertEqual(self.policy.before_next_poll(error, 100, 1), expected)


class AnswersTest(unittest.TestCase):
    def raised(self, status: int, body: Any, retry_after: str | None = None) -> ParleyError:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        with self.assertRaises(ParleyError) as caught:
            CREDENTIALS.body_of(status, retry_after, content)
        return caught.exception

    def test_an_error_has_the_fields_of_its_body(self) -> None:
        body = {"code": "muted", "error": "Muted.", "retryable": False, "details": {"a": 1}, "request_id": "r1"}
        error = self.raised(403, body)
        self.assertEqual(
            (error.code, error.status, error.details, error.retryable, error.retry_after, error.request_id),
            ("muted", 403, {"a": 1}, False, None, "r1"),
        )
        self.assertEqual(str(error), "muted: Muted.")
        self.assertEqual(self.raised(429, {"code": "slow_mode", "error": ""}, "7").retry_after, 7)

    def test_some_codes_have_classes(self) -> None:
        details = {"messages": [{"id": 4}], "last_seq": 9}
        stale = self.raised(409, {"code": "context_stale", "error": "", "details": details})
        assert isinstance(stale, ContextStale)
        self.assertEqual((stale.messages[0]["id"], stale.last_seq), (4, 9))
        guard = self.raised(429, {"code": "loop_guard_tripped", "error": "", "retryable": False})
        self.assertIsInstance(guard, LoopGuardTripped)
        demand = self.raised(402, {"code": "payment_required", "error": "", "payment": {"amount": "5"}})
        assert isinstance(demand, PaymentRequired) and demand.demand is not None
        self.assertEqual(demand.demand["amount"], "5")

    def test_pages_of_proxies_are_recognized(self) -> None:
        for status, retryable in ((200, False), (302, False), (404, False), (502, True), (503, True)):
            error = self.raised(status, b"<h1>Hello</h1>", "Mon, 23 Nov 2026 20:00:00 GMT")
            self.assertEqual((error.code, error.retryable, error.retry_after), ("invalid_answer", retryable, None))

    def test_the_key_is_in_no_text(self) -> None:
        echoed = self.raised(400, {"code": "invalid_request", "error": f"Bearer {KEY} is bad", "details": [KEY]})
        for text in (str(echoed), repr(echoed), repr(echoed.details), repr(CREDENTIALS)):
            self.assertNotIn("secret", text)

    def test_bad_addresses_and_keys_are_refused_without_their_text(self) -> None:
        for url, key in (
            ("chat.example.org", KEY),
            ("https://ana:secret@chat.example.org", KEY),
            ("https://chat.example.org/?x=secret", KEY),
            ("https://chat.example.org", "ply_secret\nX-Header: 1"),
            ("https://chat.example.org", "ply_secret密"),
            ("https://chat.example.org", ""),
        ):
            with self.assertRaises(ValueError) as caught:
                Credentials(url, key)
            self.assertNotIn("secret", str(caught.exception))
        self.assertEqual(Credentials("http://[::1]:3000", f" {KEY}\n").headers["Authorization"], f"Bearer {KEY}")


class PlansTest(unittest.TestCase):
    def test_an_item_is_acknowledged_before_the_next_one_and_after_it_was_handled(self) -> None:
        plan = _plans.inbox(_calls.InboxFilter(("mention", "direct"), "general"), None, 30)
        read = next(plan)
        assert isinstance(read, Fetch)
        self.assertEqual(read.call.query["kinds"], "mention,direct")
        self.assertEqual(plan.send({"items": [item(3), item(5)]}), Give(item(3)))
        for item_id, following in ((3, Give(item(5))), (5, read)):
            ack = plan.send(None)
            assert isinstance(ack, Fetch)
            self.assertEqual((ack.is_owed, ack.call.body), (True, {"item_ids": [item_id]}))
            self.assertEqual(plan.send({}), following)

    def test_after_item_id_leaves_older_items_alone(self) -> None:
        plan = _plans.inbox(_calls.InboxFilter(), 4, 30)
        next(plan)
        plan.send({"items": [item(5)]})
        plan.send(None)
        read = plan.send({})
        assert isinstance(read, Fetch)
        self.assertEqual(read.call.query["after_item_id"], 5)

    def test_without_a_wait_the_loop_ends_when_nothing_is_pending(self) -> None:
        items, mentions = _plans.inbox(_calls.InboxFilter(), None, 0), _plans.mentions("Scout", None, 0)
        next(items)
        next(mentions)
        self.assertRaises(StopIteration, items.send, {"items": []})
        self.assertRaises(StopIteration, mentions.send, {"mentions": []})

    def test_messages_continue_after_a_restore_that_reuses_numbers(self) -> None:
        def page(epoch: str, *seqs: int, **fields: Any) -> dict[str, Any]:
            messages = [{"seq": seq, "created_at": f"{epoch}{seq}"} for seq in seqs]
            return {"epoch": epoch, "messages": messages, "last_seq": 9, "next_after_seq": seqs[-1], **fields}

        plan = _plans.messages("general", 0, 30)
        next(plan)
        given: Any = plan.send(page("a", 8))
        self.assertEqual(given.item["seq"], 8)
        self.assertEqual(query_of(plan.send(None)), {"after_seq": 8, "limit": 200, "wait": 30})
        # In the backup, message 3 is the newest that is older than the last one given ("a8").
        self.assertEqual(query_of(plan.send(page("b", 4, 5))), {"limit": 200})
        older = page("b", 4, 5, next_before=40)
        self.assertEqual(query_of(plan.send(older)), {"limit": 200, "before": 40})
        found = page("a", 2, 3, next_before=None)
        self.assertEqual(query_of(plan.send(found)), {"after_seq": 3, "limit": 200, "wait": 30})


def query_of(step: Any) -> dict[str, Any]:
    """The fields of a read of messages beside its channel."""
    return {name: value for name, value in step.call.query.items() if value is not None and name != "channel_slug"}


if __name__ == "__main__":
    unittest.main()
