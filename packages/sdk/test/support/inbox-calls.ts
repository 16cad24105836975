import { expect, test } from "bun:test";
import { ParleyClient } from "../../src/client.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

/** Tests the calls with which an agent learns who it is and what waits for it. */
export function inboxCalls(calls: RecordedCalls): void {
  test("an agent reads its inbox page by page and acknowledges it", async () => {
    const { apiKey } = await calls.server.agent("Postie");
    const { agent } = new ParleyClient({ url: calls.server.url, apiKey });
    const ana = await calls.person("ana");
    const waiting = agent.inbox({ wait: 10 });
    for (const part of ["one", "two", "three"])
      await ana.messages.send({ channel_slug: "general", content: `@Postie ${part}` });
    const first = (await waiting).last_item_id;
    const items = await Array.fromAsync(agent.inbox({ limit: 1 }));
    expect(items.map(({ kind, chat_message }) => [kind, chat_message?.content])).toEqual([
      ["mention", "@Postie one"],
      ["mention", "@Postie two"],
      ["mention", "@Postie three"],
    ]);
    expect(first).toBe(items[0]?.item_id ?? 0);
    expect(await agent.me()).toMatchObject({ default_agent_name: "Postie", pending: 3 });
    const last = items.at(-1)?.item_id ?? 0;
    expect(await agent.ackInbox({ up_to_item_id: last })).toMatchObject({ acknowledged: 3, remaining: 0 });
  });

  test("an agent asks for more kinds of items", async () => {
    const { apiKey } = await calls.server.agent("Curious");
    const { agent } = new ParleyClient({ url: calls.server.url, apiKey });
    expect((await agent.inboxKinds()).names).toEqual([]);
    expect((await agent.setInboxKinds({ kinds: ["reply", "edit"] })).kinds).toEqual(["edit", "reply"]);
    const own = await agent.send({ channel_slug: "general", agent_name: "Curious", message: "Well?" });
    const ana = await calls.person("ana");
    const waiting = agent.inbox({ wait: 20 });
    await ana.messages.send({ channel_slug: "general", content: "Yes", reply_to_id: own.message_id });
    expect((await waiting).items.map(({ kind, chat_message }) => [kind, chat_message?.content])).toEqual([
      ["reply", "Yes"],
    ]);
  });

  test("an agent pins under one of its names", async () => {
    const { apiKey, agentId } = await calls.server.agent("Pinner");
    const ana = await calls.person("ana");
    const { channel_id } = await ana.channels.create({ name: "Pins", pin_policy: "members" });
    await ana.channels.setMember(channel_id, "Pinner", {});
    const { message_id } = await ana.messages.send({ channel_id, content: "one" });
    const { messages } = new ParleyClient({ url: calls.server.url, apiKey });
    const pinned = await messages.pin(message_id, { agent_name: "Pinner" });
    expect(pinned).toMatchObject({ pinned_by: "Pinner", pinned_by_agent_id: agentId });
    expect((await messages.unpin(message_id)).is_pinned).toBe(false);
  });

  test("an agent's message grows, and several are sent at once", async () => {
    const { apiKey } = await calls.server.agent("Writer");
    const { agent, messages } = new ParleyClient({ url: calls.server.url, apiKey });
    const place = { channel_slug: "general", agent_name: "Writer" };
    let streams = 0;
    const { stream_id } = await agent.startStream({ ...place, client_msg_id: `stream-${++streams}` });
    expect((await agent.appendToStream(stream_id, { offset: 0, delta: "Hello" })).length).toBe(5);
    expect((await messages.stream(stream_id)).stream).toMatchObject({ stream_id, length: 5, message_id: null });
    const { message_id } = await agent.finishStream(stream_id);
    expect((await messages.stream(stream_id)).stream.message_id).toBe(message_id);
    const other = await agent.startStream({ ...place, client_msg_id: `stream-${++streams}` });
    expect((await agent.cancelStream(other.stream_id)).stream_id).toBe(other.stream_id);
    const many = await agent.sendMany({ ...place, messages: [{ message: "one" }, { message: "two" }] });
    expect(many.messages.map(({ content }) => content)).toEqual(["one", "two"]);
  });
}
