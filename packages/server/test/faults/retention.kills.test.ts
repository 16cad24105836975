import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { eventually, signUp } from "../support/servers/test-server.ts";

/** Kill -9 while old messages are being removed: every step is whole, and the work goes on where it stopped. */
const KILLS = Number(process.env.PARLEY_TEST_RETENTION_KILLS ?? 3);
/** A second of the server removes a thousand. */
const MESSAGES = 6_000;

test(`${KILLS} kills during a purge leave no step half done`, async () => {
  const folder = temporaryFolder();
  const environment = { PARLEY_RETENTION_DAYS: "1" };
  await using server = new ChildServer(folder, freePort(), environment);
  const file = <T>(act: (database: Database) => T): T => {
    using database = new Database(join(folder, "parley.sqlite"));
    return act(database);
  };
  const count = (from: string): number =>
    file((database) => database.query<{ n: number }, []>(`select count(*) as n from ${from}`).get()?.n ?? -1);
  await server.start();
  const ann = await signUp(server.url, "ann");
  await server.end("SIGTERM");
  file(fill);
  await server.start();
  const young = (await ann.post("/api/messages", { channel_slug: "general", content: "young" })).body;

  const old = "messages where created_at = 0";
  const places: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = count(old);
    await eventually("another step is done", () => count(old) < before, 60_000);
    await server.end("SIGKILL");
    const left = count(old);
    if (left === 0) throw new Error(`It was done before kill ${kill}; give it more messages.`);
    places.push(left);
    // A step's messages, their reactions, its event and the counts are committed together.
    expect(count("reactions")).toBe(left);
    expect(count("reactions where message_id not in (select id from messages)")).toBe(0);
    expect(count(`channels where purged_messages = ${MESSAGES - left} and slug = 'general'`)).toBe(1);
    expect(count("channel_events where event = 'history:purged'")).toBe(Math.ceil((MESSAGES - left) / 1_000));
    await server.start();
  }
  await eventually("everything old is gone", () => count(old) === 0, 120_000);
  expect(count("reactions")).toBe(0);
  const { messages } = (await ann.get("/api/messages?channel_slug=general&limit=200")).body;
  expect(messages.map(({ id }: { id: number }) => id)).toEqual([young.message_id]);
  const next = (await ann.post("/api/messages", { channel_slug: "general", content: "next" })).body;
  expect(next.message_id).toBeGreaterThan(young.message_id);
  expect(next.seq).toBeGreaterThan(young.seq);
  console.log(JSON.stringify({ kills: KILLS, places }));
});

/** Inserts many old messages with a reaction each. */
function fill(database: Database): void {
  const { id } = database.query<{ id: number }, []>("select id from channels where slug = 'general'").get() ?? {
    id: 0,
  };
  const message = database.prepare(
    `insert into messages (channel_id, seq, type, content, sender_type, user_id, sender_name, created_at)
     values (?, ?, 'text', 'some words', 'user', 1, 'ann', 0)`,
  );
  const columns = database.query<{ name: string }, []>("select name from pragma_table_info('reactions')").all();
  if (!columns.some(({ name }) => name === "message_id")) throw new Error("The table of reactions has changed.");
  const reaction = database.prepare(
    "insert into reactions (message_id, actor_kind, actor_id, reaction, created_at) values (?, 'user', 1, 'like', 0)",
  );
  database.transaction(() => {
    for (let n = 1; n <= MESSAGES; n += 1) reaction.run(message.run(id, n).lastInsertRowid);
    database.run("update channels set last_seq = ? where id = ?", [MESSAGES, id]);
  })();
}
