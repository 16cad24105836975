import { expect, test } from "bun:test";
import { stillClock } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { EventReader, type ReadEvent } from "../support/servers/event-reader.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** Protocol §8 over real HTTP: what an agent's event stream sends again after `Last-Event-ID`. */
const clock = stillClock();
let owners = 0;

const server = await forAllTests(startTestServer({ agentLoopLimit: 0 }, { clock }));
const ann = await server.user("ann");

/** Returns an agent that is logged in to its own channels. */
async function present(count: number) {
  const channels = [];
  let owner = ann;
  for (let n = 0; n < count; n += 1) {
    // A user can own only a limited number of channels.
    if (n % 10 === 9) owner = await server.user(`owner_${++owners}`);
    channels.push(await newChannel(owner, { is_private: false }));
  }
  const name = `Helper ${channels[0]?.id}`;
  const agent = await server.agent(name);
  for (const { slug } of channels) {
    expect((await agent.post("/api/agenthub/login", { channel_slug: slug, agent_name: name })).status).toBe(200);
  }
  const open = (lastEventId?: string) => EventReader.open(server.url, agent.credential, lastEventId);
  return { ids: channels.map(({ id }) => id), agent, name, open };
}

const say = async (channelId: number, content: string) =>
  (await ann.post("/api/messages", { channel_id: channelId, content })).body.chat_message;
const saidIn = (events: readonly ReadEvent[], channelId: number): string[] =>
  events
    .filter(({ event, data }) => event === "message:new" && data.channel_id === channelId)
    .map(({ data }) => data.chat_message.content);
const said = (reader: EventReader): string[] =>
  reader.events.filter(({ event }) => event === "message:new").map(({ data }) => data.chat_message.content);
const mentioned = (events: readonly ReadEvent[]): string[] =>
  events.filter(({ event }) => event === "mention:new").map(({ data }) => data.chat_message.content);
const idOf = ({ id }: ReadEvent): string => {
  if (id === null) throw new Error("The event has no id.");
  return id;
};

test("a resumed stream sends everything that was missed once, in order, with edits in their final form", async () => {
  const { ids, open } = await present(1);
  const [id = 0] = ids;
  const first = await say(id, "one");
  const texts = Array.from({ length: 300 }, (_, i) => `missed ${i}`);
  for (const text of texts) await say(id, text);
  const pin = await ann.post(`/api/messages/${first.id}/pin`);
  expect(pin.status).toBe(200);
  await using reader = await open(`${id}:${first.seq}`);
  await say(id, "live");
  await reader.next(({ data }) => data.chat_message?.content === "live");
  expect(said(reader)).toEqual([...texts, "live"]);
  const seqs = reader.events.filter(({ data }) => data.seq !== undefined).map(({ data }) => data.seq);
  expect(seqs).toEqual(Array.from({ length: 302 }, (_, i) => first.seq + 1 + i));
  expect(reader.events.some(({ event }) => event === "message:pin")).toBe(true);
});

test("after a message id alone, the stream resumes other channels and mentions by the message's time", async () => {
  const { ids, name, open } = await present(2);
  const [id = 0, second = 0] = ids;
  const third = await newChannel(ann, { is_private: false });
  const known = await say(id, "known");
  await say(second, "missed");
  await say(third.id, `@${name} missed too`);
  await using reader = await open(`${id}:${known.seq}`);
  await reader.next(({ event }) => event === "mention:new");
  await reader.next(({ data }) => data.chat_message?.content === "missed");
  expect(said(reader)).toEqual(["missed"]);
});

test("a stream that broke after any event resumes without losing or repeating a message", async () => {
  const { ids, name, open } = await present(3);
  const elsewhere = await newChannel(ann, { is_private: false });
  await using live = await open();
  const start = await say(ids[0] ?? 0, "start");
  const from = idOf(await live.next(({ data }) => data.seq === start.seq));
  // The times are far apart and not in the order of the channels: the time of an event in one channel says nothing
  // about another.
  for (const id of [...ids].reverse()) {
    for (const text of ["one", "two", `@${name} in ${id}`, "three"]) {
      clock.advance(60_000);
      await say(id, text);
    }
  }
  clock.advance(60_000);
  await say(elsewhere.id, `@${name} come`);
  clock.advance(60_000);
  expect((await ann.send("PUT", `/api/messages/${start.id}`, { body: { content: `@${name} edited` } })).status).toBe(
    200,
  );

  const isWhole = (events: readonly ReadEvent[]): boolean =>
    ids.every((id) => saidIn(events, id).filter((text) => text !== "start").length >= 4) &&
    new Set(mentioned(events)).size === ids.length + 2 &&
    events.some(({ event }) => event === "message:update");
  await using again = await open(from);
  for (const source of [live, again]) {
    await eventually("all is heard", () => isWhole(source.events));
    for (const [at, { id: lastEventId }] of [...source.events].entries()) {
      if (lastEventId === null) continue;
      await using resumed = await open(lastEventId);
      const all = () => [...source.events.slice(0, at + 1), ...resumed.events];
      await eventually(`all is heard after ${lastEventId}`, () => isWhole(all()));
      for (const id of ids) expect(saidIn(all(), id)).toEqual([...new Set(saidIn(all(), id))]);
    }
  }
});

test("an event id names at most fifty channels; the others resume by time", async () => {
  const { ids, open } = await present(53);
  await using live = await open();
  for (const id of ids) {
    clock.advance(60_000);
    await say(id, "known");
  }
  const last = await live.next(({ data }) => data.channel_id === ids.at(-1) && data.seq !== undefined);
  expect(idOf(last).split(",")).toHaveLength(50);
  clock.advance(60_000);
  for (const id of [ids[0] ?? 0, ids[52] ?? 0]) await say(id, "missed");
  await using reader = await open(idOf(last));
  await eventually("both are heard", () => said(reader).length === 2);
  expect(said(reader)).toEqual(["missed", "missed"]);
});

test("a stream that broke before the first event loses nothing that happened since", async () => {
  const { ids, agent, name, open } = await present(2);
  const [first = 0, second = 0] = ids;
  const later = await newChannel(ann, { is_private: false });
  await say(first, "long ago");
  clock.advance(60_000);
  let lastEventId: string | null = null;
  {
    await using quiet = await open();
    await eventually("the stream tells where it stands", () => quiet.lastEventId !== null);
    const begun = quiet.lastEventId;
    clock.advance(60_000);
    await say(later.id, "before the login");
    clock.advance(60_000);
    await agent.post("/api/agenthub/login", { channel_slug: later.slug, agent_name: name });
    await eventually("it tells so of a new channel", () => quiet.lastEventId !== begun);
    lastEventId = quiet.lastEventId;
    expect(saidIn(quiet.events, first)).toEqual([]);
  }
  clock.advance(60_000);
  for (const id of [first, second, later.id]) await say(id, `@${name} missed`);
  await using resumed = await open(lastEventId ?? undefined);
  await eventually("all is heard", () => said(resumed).length === 3 && mentioned(resumed.events).length === 3);
  expect(said(resumed)).toEqual(["missed", "missed", "missed"].map((text) => `@${name} ${text}`));
});

test("a position is valid only for one epoch of the data", async () => {
  const { ids, open } = await present(2);
  await using live = await open();
  const { seq } = await say(ids[1] ?? 0, "one");
  const id = idOf(await live.next(({ data }) => data.seq === seq));
  await using reader = await open(id.replace(/\/.*/, "/0123456789ab"));
  for (const channelId of ids) {
    await reader.next(({ event, data }) => event === "channel:reset" && data.channel_id === channelId);
  }
  expect(said(reader)).toEqual([]);
});

test("a stream that breaks while it reports a new epoch contains no position of the old one", async () => {
  const { ids, open } = await present(2);
  for (const id of ids) for (const text of ["one", "two", "three"]) await say(id, text);
  const places = ids.map((id) => `${id}:2`).join(",");
  await using reader = await open(`${places}@${clock.now()}/0123456789ab`);
  const first = await reader.next(({ event }) => event === "channel:reset");
  expect(idOf(first)).toStartWith(`${first.data.channel_id}:3@`);
});

test("a position that cannot be resumed is reported as such", async () => {
  const { ids, agent, open } = await present(1);
  const [id = 0] = ids;
  const { seq } = await say(id, "one");
  await using reader = await open(`${id}:${seq + 5}`);
  expect(await reader.next(({ event }) => event === "channel:reset")).toMatchObject({
    id: expect.stringContaining(`${id}:${seq}@`),
    data: { channel_id: id, recovered: false },
  });
  for (const lastEventId of ["x", "1", "1:", "0:1", "1:1,", "1:1@5", "1:1@5/x", "@", `1:1${",1:1".repeat(50)}`]) {
    const bad = await agent.get("/api/agenthub/events", { headers: { "last-event-id": lastEventId } });
    expect(bad).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
  }
});

test("more than 1,000 missed mentions are not sent again, and the stream says so", async () => {
  const { ids, name, agent, open } = await present(1);
  const [id = 0] = ids;
  const first = await say(id, "one");
  const message = await say(id, `@${name} hello`);
  const { db } = server.ctx;
  await eventually(
    "it is mentioned",
    async () => (await agent.get("/api/agenthub/mentions?mark_read=false")).body.count,
  );
  // More mentions under further names, each of which can have 1,000.
  const { id: _, ...row } = await db
    .selectFrom("messages")
    .selectAll()
    .where("id", "=", message.id)
    .executeTakeFirstOrThrow();
  const said = Array.from({ length: 1_001 }, (_, i) => ({ ...row, client_msg_id: null, seq: 1_000 + i }));
  const inserted = [];
  for (let at = 0; at < said.length; at += 200)
    inserted.push(
      ...(await db
        .insertInto("messages")
        .values(said.slice(at, at + 200))
        .returning("id")
        .execute()),
    );
  const mention = await db
    .selectFrom("mentions")
    .selectAll()
    .where("message_id", "=", message.id)
    .executeTakeFirstOrThrow();
  const { id: __, ...pending } = mention;
  for (let at = 0; at < inserted.length; at += 200) {
    const rows = inserted.slice(at, at + 200).map(({ id }, i) => ({
      ...pending,
      message_id: id,
      agent_name: (at + i) % 2 === 0 ? "One" : "Two",
    }));
    await db.insertInto("mentions").values(rows).execute();
  }
  await using reader = await open(`${id}:${first.seq}`);
  const reset = await reader.next(({ event }) => event === "reset");
  expect(reset.data).toEqual({ reason: "mentions" });
  expect(idOf(reset)).toContain(`${id}:`);
  expect(mentioned(reader.events)).toEqual([]);
});
