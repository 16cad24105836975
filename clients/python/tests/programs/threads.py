"""An agent named Scout for the tests of whole servers: threads.py <url> <key> <act> [argument].

It prints what it does, and in the end the code of the ParleyError that ended it, if one did.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

from parley_chat import Agent, Backoff, MadePoll, ParleyError


def text_of(item: Any) -> str:
    """The text of a mention, or of an item of the inbox."""
    return str(item["content"] if "content" in item else item["chat_message"]["content"])


def answer(agent: Agent, loop: str) -> None:
    """Answers until somebody says "bye". `loop` is "inbox" or "mentions"."""
    for item in getattr(agent, loop)():
        with agent.thinking(item):
            answered = agent.reply(item, f"You said: {text_of(item)}")
        print("answered" if answered else "had been answered", flush=True)
        if text_of(item).endswith("bye"):
            agent.stop()


def run(agent: Agent, concurrency: str) -> None:
    """Answers several at once, without an end."""
    agent.run(lambda item: agent.reply(item, f"You said: {text_of(item)}"), concurrency=int(concurrency))


def crash(agent: Agent, _: str) -> None:
    """Answers once, and ends before the acknowledgement."""
    for item in agent.mentions():
        agent.reply(item, "Answered before the crash.")
        os._exit(9)


def send(agent: Agent, count: str) -> None:
    """Sends numbers."""
    for number in range(int(count)):
        agent.send("general", str(number))


def listen(agent: Agent, last_event_id: str) -> None:
    """Prints new messages until one ends with "bye"."""
    for event in agent.events(last_event_id or None):
        if event.event == "message:new":
            print(event.data["seq"], event.data["chat_message"]["content"], flush=True)
            if event.data["chat_message"]["content"].endswith("bye"):
                agent.stop()


def ask(agent: Agent, approver: str) -> None:
    """Asks for an approval and prints how it ended."""
    answer = agent.ask("general", "Größe ändern?", {"users": [approver]}, client_msg_id="once")
    again = agent.ask("general", "Größe ändern?", {"users": [approver]}, client_msg_id="once")
    print(answer.status, answer.action, answer.is_approved, again.decision == answer.decision, flush=True)


def stream(agent: Agent, count: str) -> None:
    """Streams the numbers up to a count, and what is longer than one message."""

    def pieces() -> Iterator[str | dict[str, str | None]]:
        yield {"status": "counting"}
        for number in range(int(count)):
            time.sleep(0.02)
            yield f"{number} 🎉 "

    print(agent.stream("general", pieces())["finish_reason"], flush=True)
    print(len(agent.stream("general", ["a" * 3_000 + "\n\n", "b" * 3_000])["rest"]), flush=True)


def ask_for_replies(agent: Agent, _: str) -> None:
    """Asks for replies, pins its own message, and prints what it got."""
    print((agent.set_inbox_kinds(["reply"]))["kinds"], flush=True)
    sent = agent.send("general", "Well?")
    pinned = agent.pin(sent["message_id"])
    print(pinned["is_pinned"], pinned["pinned_by"], flush=True)
    for item in agent.inbox(kinds=["reply"]):
        print(item["kind"], text_of(item), flush=True)
        agent.stop()
    print((agent.unpin(sent["message_id"]))["is_pinned"], flush=True)


def emoji(agent: Agent, message_id: str) -> None:
    """Reacts to a message with the only emoji of the server."""
    [only] = agent.list_emoji()
    print(only["name"], agent.react(int(message_id), only["name"])["reactions"][0]["count"], flush=True)


def voice(agent: Agent, path: str) -> None:
    """Sends a voice note, writes its words, and removes them."""
    note = agent.upload_voice(path, 900, [1, 2])
    agent.send("general", "", files=[note])
    written = (agent.transcribe(note, "hello", "en"))["voice"]["transcript"]
    removed = (agent.remove_transcript(note))["voice"]["transcript"]
    print(written and written["text"], removed, flush=True)
    agent.transcribe(note, "hello again")


def poll(agent: Agent, _: str) -> None:
    """Makes a poll and closes it."""
    made: MadePoll = agent.create_poll("general", "Tea?", ["Green", "Black"], closes_in=60)
    print(made["poll"]["status"], agent.close_poll(made["poll"]["poll_id"])["status"], flush=True)


def schedule(agent: Agent, _: str) -> None:
    """Schedules three messages, changes one and cancels one, and prints what the server says."""
    later = datetime.now(timezone.utc) + timedelta(hours=1)
    root = (agent.send("general", "root"))["message_id"]
    first, again = [
        agent.schedule(
            "general", "first", later, reply_to=root, link_previews=False, idempotency_key="only-one"
        )
        for _ in range(2)
    ]
    print(first["status"], first["agent_name"], first["scheduled_id"] == again["scheduled_id"], flush=True)
    second = agent.schedule("general", "second", later.isoformat(), thread=root, also_in_channel=True)
    print(first["reply_to_id"] == root, second["thread_root_id"] == root, second["also_in_channel"], flush=True)
    changed = agent.reschedule(second["scheduled_id"], text="später", send_at=later + timedelta(hours=1))
    print(changed["content"], changed["send_at"] > second["send_at"], flush=True)
    print([each["content"] for each in (agent.scheduled("waiting"))["scheduled"]], flush=True)
    print((agent.unschedule(second["scheduled_id"]))["status"], flush=True)
    try:
        agent.reschedule(second["scheduled_id"], text="too late")
    except ParleyError as error:
        print(error.code, flush=True)


ACTS = {
    "answer": answer,
    "run": run,
    "crash": crash,
    "send": send,
    "listen": listen,
    "ask": ask,
    "replies": ask_for_replies,
    "schedule": schedule,
    "stream": stream,
    "poll": poll,
    "emoji": emoji,
    "voice": voice,
}


def main(url: str, key: str, act: str, argument: str = "") -> None:
    with Agent(url, key, "Scout", max_retries=1_000, backoff=Backoff(0.01, 0.1)) as agent:
        begun = time.monotonic()
        try:
            agent.login("general")
            print("ready", flush=True)
            begun = time.monotonic()
            ACTS[act](agent, argument)
        except ParleyError as error:
            print(f"{type(error).__name__} {error.code} within {int(time.monotonic() - begun)} s")


if __name__ == "__main__":
    main(*sys.argv[1:])
