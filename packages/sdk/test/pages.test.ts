import { afterEach, beforeEach, expect, test } from "bun:test";
import { startTestServer, type TestServer } from "../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../src/client.ts";
import { registered } from "./support/clients.ts";

let server: TestServer;
let ana: ParleyClient;

beforeEach(async () => {
  server = await startTestServer();
  ana = await registered(server.url, "ana");
});
afterEach(() => server[Symbol.asyncDispose]());

async function say(count: number): Promise<number> {
  const { channel_id } = await ana.channels.create({ name: "Numbers" });
  for (let n = 1; n <= count; n += 1) await ana.messages.send({ channel_id, content: `${n}` });
  return channel_id;
}

test("messages.list reads forwards from a seq, and backwards from the newest", async () => {
  const channel_id = await say(5);
  const forwards = await Array.fromAsync(ana.messages.list({ channel_id, after_seq: 0, limit: 2 }));
  expect(forwards.map(({ content }) => content)).toEqual(["1", "2", "3", "4", "5"]);
  const backwards: string[] = [];
  for await (const { content } of ana.messages.list({ channel_id, limit: 2 })) backwards.push(content);
  expect(backwards).toEqual(["5", "4", "3", "2", "1"]);
  const after = await Array.fromAsync(ana.messages.list({ channel_id, after: forwards[1]?.id, limit: 1 }));
  expect(after.map(({ content }) => content)).toEqual(["3", "4", "5"]);
});

test("messages.list around a message has one page", async () => {
  const channel_id = await say(5);
  const [, , middle] = await Array.fromAsync(ana.messages.list({ channel_id, after_seq: 0 }));
  const page = await ana.messages.list({ channel_id, around: middle?.id, limit: 3 });
  expect(page.items.map(({ content }) => content)).toEqual(["2", "3", "4"]);
  expect([page.hasNextPage, await page.nextPage()]).toEqual([false, null]);
});

test("a page's own fields are those of the response", async () => {
  const channel_id = await say(3);
  const page = await ana.messages.list({ channel_id, limit: 2 });
  expect(page.messages.map(({ content }) => content)).toEqual(["2", "3"]);
  expect(page).toMatchObject({ has_more: true, limit: 2 });
  expect((await page.nextPage())?.items.map(({ content }) => content)).toEqual(["1"]);
});

test("lists by offset, by id and of one page yield all their items", async () => {
  const channel_id = await say(1);
  for (const name of ["ben", "cleo", "dan"]) await (await registered(server.url, name)).channels.join(channel_id);
  const members = await Array.fromAsync(ana.channels.members(channel_id, { limit: 1 }));
  expect(members.map(({ name }) => name).toSorted()).toEqual(["ana", "ben", "cleo", "dan"]);
  const changes = [{ email: "a@example.org" }, { email: "b@example.org" }, { email: "c@example.org" }];
  for (const change of changes) await ana.accounts.updateUser("ana", change);
  const notices = await Array.fromAsync(ana.accounts.securityNotices({ limit: 1 }));
  expect(notices.map(({ kind }) => kind)).toEqual(["email_changed", "email_changed", "email_changed"]);
  await ana.accounts.block("ben");
  expect((await Array.fromAsync(ana.accounts.blocks())).map(({ name }) => name)).toEqual(["ben"]);
});

test("an agent's lists of messages and mentions yield everything", async () => {
  const { apiKey } = await server.agent("Scout");
  const scout = new ParleyClient({ url: server.url, apiKey });
  for (const text of ["one", "two", "three"]) {
    await ana.messages.send({ channel_slug: "general", content: `@Scout ${text}` });
  }
  const channel_slug = "general";
  const texts = (messages: { content: string }[]) => messages.map(({ content }) => content.replace("@Scout ", ""));
  const forwards = ["one", "two", "three"];
  expect(texts(await Array.fromAsync(scout.agent.messages({ channel_slug, after_seq: 0, limit: 1 })))).toEqual(
    forwards,
  );
  expect(texts(await Array.fromAsync(scout.agent.messages({ channel_slug, limit: 1 })))).toEqual(forwards.toReversed());
  const kept = await scout.agent.mentions({ mark_read: false, limit: 2 });
  expect([texts([...kept.items]), kept.hasNextPage]).toEqual([["one", "two"], false]);
  expect(texts(await Array.fromAsync(scout.agent.mentions({ limit: 2 })))).toEqual(forwards);
  expect((await scout.agent.mentions()).items).toEqual([]);
  const removed = await Array.fromAsync(scout.agent.mentions({ include_removed: true, mark_read: false, limit: 1 }));
  expect(texts(removed)).toEqual(forwards.toReversed());
});

test("the request options apply to every page", async () => {
  const channel_id = await say(3);
  const stop = new AbortController();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { content } of ana.messages.list({ channel_id, limit: 1 }, { signal: stop.signal })) {
      seen.push(content);
      stop.abort(new Error("enough"));
    }
  })();
  await expect(reading).rejects.toThrow("enough");
  expect(seen).toEqual(["3"]);
});
