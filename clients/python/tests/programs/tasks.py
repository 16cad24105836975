"""threads.py with asyncio: tasks.py <url> <key> <act> [argument]."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from datetime import datetime, timedelta, timezone

from parley_chat import AsyncAgent, Backoff, MadePoll, ParleyError
from parley_chat.models import InboxItem
from threads import text_of


async def answer(agent: AsyncAgent, loop: str) -> None:
    async for item in getattr(agent, loop)():
        async with agent.thinking(item):
            answered = await agent.reply(item, f"You said: {text_of(item)}")
        print("answered" if answered else "had been answered", flush=True)
        if text_of(item).endswith("bye"):
            agent.stop()


async def run(agent: AsyncAgent, concurrency: str) -> None:
    async def handle(item: InboxItem) -> None:
        await agent.reply(item, f"You said: {text_of(item)}")

    await agent.run(handle, concurrency=int(concurrency))


async def crash(agent: AsyncAgent, _: str) -> None:
    async for item in agent.mentions():
        await agent.reply(item, "Answered before the crash.")
        os._exit(9)


async def send(agent: AsyncAgent, count: str) -> None:
    for number in range(int(count)):
        await agent.send("general", str(number))


async def listen(agent: AsyncAgent, last_event_id: str) -> None:
    async for event in agent.events(last_event_id or None):
        if event.event == "message:new":
            print(event.data["seq"], event.data["chat_message"]["content"], flush=True)
            if event.data["chat_message"]["content"].endswith("bye"):
                agent.stop()


async def ask(agent: AsyncAgent, approver: str) -> None:
    """Asks for an approval and prints how it ended."""
    answer = await agent.ask("general", "Größe ändern?", {"users": [approver]}, client_msg_id="once")
    again = await agent.ask("general", "Größe ändern?", {"users": [approver]}, client_msg_id="once")
    print(answer.status, answer.action, answer.is_approved, again.decision == answer.decision, flush=True)


async def stream(agent: AsyncAgent, count: str) -> None:
    async def pieces() -> AsyncIterator[str | dict[str, str | None]]:
        yield {"status": "counting"}
        for number in range(int(count)):
            await asyncio.sleep(0.02)
            yield f"{number} 🎉 "

    async def long() -> AsyncIterator[str]:
        yield "a" * 3_000 + "\n\n"
        yield "b" * 3_000

    print((await agent.stream("general", pieces()))["finish_reason"], flush=True)
    print(len((await agent.stream("general", long()))["rest"]), flush=True)


async def ask_for_replies(agent: AsyncAgent, _: str) -> None:
    """Asks for replies, pins its own message, and prints what it got."""
    print((await agent.set_inbox_kinds(["reply"]))["kinds"], flush=True)
    sent = await agent.send("general", "Well?")
    pinned = await agent.pin(sent["message_id"])
    print(pinned["is_pinned"], pinned["pinned_by"], flush=True)
    async for item in agent.inbox(kinds=["reply"]):
        print(item["kind"], text_of(item), flush=True)
        agent.stop()
    print((await agent.unpin(sent["message_id"]))["is_pinned"], flush=True)


async def emoji(agent: AsyncAgent, message_id: str) -> None:
    """Reacts to a message with the only emoji of the server."""
    [only] = await agent.list_emoji()
    print(only["name"], (await agent.react(int(message_id), only["name"]))["reactions"][0]["count"], flush=True)


async def voice(agent: AsyncAgent, path: str) -> None:
    """Sends a voice note, writes its words, and removes them."""
    note = await agent.upload_voice(path, 900, [1, 2])
    await agent.send("general", "", files=[note])
    written = (await agent.transcribe(note, "hello", "en"))["voice"]["transcript"]
    removed = (await agent.remove_transcript(note))["voice"]["transcript"]
    print(written and written["text"], removed, flush=True)
    await agent.transcribe(note, "hello again")


async def poll(agent: AsyncAgent, _: str) -> None:
    """Makes a poll and closes it."""
    made: MadePoll = await agent.create_poll("general", "Tea?", ["Green", "Black"], closes_in=60)
    print(made["poll"]["status"], (await agent.close_poll(made["poll"]["poll_id"]))["status"], flush=True)


async def schedule(agent: AsyncAgent, _: str) -> None:
    """Schedules three messages, changes one and cancels one, and prints what the server says."""
    later = datetime.now(timezone.utc) + timedelta(hours=1)
    root = (await agent.send("general", "root"))["message_id"]
    first, again = [
        await agent.schedule(
            "general", "first", later, reply_to=root, link_previews=False, idempotency_key="only-one"
        )
        for _ in range(2)
    ]
    print(first["status"], first["agent_name"], first["scheduled_id"] == again["scheduled_id"], flush=True)
    second = await agent.schedule("general", "second", later.isoformat(), thread=root, also_in_channel=True)
    print(first["reply_to_id"] == root, second["thread_root_id"] == root, second["also_in_channel"], flush=True)
    changed = await agent.reschedule(second["scheduled_id"], text="später", send_at=later + timedelta(hours=1))
    print(changed["content"], changed["send_at"] > second["send_at"], flush=True)
    print([each["content"] for each in (await agent.scheduled("waiting"))["scheduled"]], flush=True)
    print((await agent.unschedule(second["scheduled_id"]))["status"], flush=True)
    try:
        await agent.reschedule(second["scheduled_id"], text="too late")
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


async def main(url: str, key: str, act: str, argument: str = "") -> None:
    async with AsyncAgent(url, key, "Scout", max_retries=1_000, backoff=Backoff(0.01, 0.1)) as agent:
        begun = time.monotonic()
        try:
            await agent.login("general")
            print("ready", flush=True)
            begun = time.monotonic()
            await ACTS[act](agent, argument)
        except ParleyError as error:
            print(f"{type(error).__name__} {error.code} within {int(time.monotonic() - begun)} s")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
