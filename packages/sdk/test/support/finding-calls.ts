import { expect, test } from "bun:test";
import type { RecordedCalls } from "./recorded-calls.ts";

/** Tests of the calls that find people, agents and who reacted. */
export function findingCalls(calls: RecordedCalls): void {
  const { person } = calls;
  test("calls that find users, agents and reactors return what the server stored", async () => {
    const [ana, ben] = [await person("ana"), await person("ben")];
    expect((await ana.accounts.find("be")).users).toEqual([{ username: "ben", is_online: false }]);
    expect((await ana.accounts.presence(["ana", "ben"])).online).toEqual([]);
    await calls.server.agent("Scout");
    expect(await ana.agents.profile("Scout")).toMatchObject({ agent_name: "Scout", owner_username: null });
    const { message_id } = await ana.messages.send({ channel_slug: "general", content: "hello" });
    await ben.messages.react(message_id, "like");
    const { actors } = await ana.messages.reactors(message_id, "like");
    expect(actors).toMatchObject([{ name: "ben" }]);
  });
}

/** Tests of the calls of threads. */
export function threadCalls(calls: RecordedCalls): void {
  test("calls for threads return what the server stored", async () => {
    const [ana, ben] = [await calls.person("ana"), await calls.person("ben")];
    const { channel_id } = await ana.channels.create({ name: "Threads" });
    const { message_id } = await ana.messages.send({ channel_id, content: "a question" });
    const sent = await ben.messages.send({ channel_id, content: "an answer", thread_root_id: message_id });
    const { messages, root } = await ben.messages.thread(message_id, { after_seq: 0 });
    expect([messages.map(({ id }) => id), root.thread?.reply_count]).toEqual([[message_id, sent.message_id], 1]);
    const items: number[] = [];
    for await (const { id } of ben.messages.thread(message_id, { limit: 1 })) items.push(id);
    expect(items).toEqual([sent.message_id, message_id]);
    const { threads } = await ana.messages.threads({ unread: true });
    expect(threads).toMatchObject([{ unread_count: 1, last_reply: { id: sent.message_id } }]);
    expect(await ana.messages.readThread(message_id)).toMatchObject({ unread_count: 0 });
    expect(await ana.messages.unfollowThread(message_id)).toMatchObject({ following: false });
    expect(await ana.messages.followThread(message_id)).toMatchObject({ following: true });
    const { chat_message } = await ana.messages.updateThread(message_id, { is_locked: true });
    expect(chat_message.thread?.is_locked).toBe(true);
  });
}
