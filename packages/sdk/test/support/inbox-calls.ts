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
}
