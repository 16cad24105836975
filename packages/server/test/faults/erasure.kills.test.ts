import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { SETTLE_MS } from "../../src/privacy/erasing.ts";
import { temporaryFolder } from "../support/config.ts";
import { stayDown } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { Client, eventually, PASSWORD, signUp } from "../support/servers/test-server.ts";

/**
 * Kill -9 while an account with many messages is being erased: the work continues where it stopped, does nothing twice,
 * and finishes.
 */
const KILLS = Number(process.env.PARLEY_TEST_ERASURE_KILLS ?? 5);
const MESSAGES = 100_000;
/** Watching the file all the time would take CPU time that the server needs. */
const LOOK_MS = 50;

test(`${KILLS} kills during an erasure leave no message out and no step undone`, async () => {
  const folder = temporaryFolder();
  await using server = new ChildServer(folder, freePort());
  const file = <T>(act: (database: Database) => T): T => {
    using database = new Database(join(folder, "parley.sqlite"));
    return act(database);
  };
  await server.start();
  const guest = new Client(server.url);
  const cookies = new Map<string, Client>();
  for (const username of ["ann", "bob"]) {
    cookies.set(username, await signUp(server.url, username));
  }
  await cookies.get("bob")?.post("/api/messages", { channel_slug: "general", content: "hello @ann" });
  await server.end("SIGTERM");
  file(fill);
  await server.start();

  const deleted = await cookies.get("ann")?.delete("/api/user/ann", { body: { password: PASSWORD } });
  expect(deleted?.status).toBe(200);
  // An erasure begins some seconds after the closing of its account.
  await server.end("SIGKILL");
  stayDown(folder, SETTLE_MS, { erasures: ["started_at"] });
  await server.start();
  const standing = () =>
    file((database) => database.query<{ at: string }, []>("select step || place_a as at from erasures").get()?.at);
  let looked = Number.NEGATIVE_INFINITY;
  const isTimeToLook = () => {
    const now = performance.now();
    const isTime = now - looked >= LOOK_MS;
    if (isTime) looked = now;
    return isTime;
  };
  const places = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const place = await eventually(
      "it goes on among the messages",
      () => {
        if (!isTimeToLook()) return null;
        const at = standing();
        if (at === undefined) throw new Error(`It was done before kill ${kill}; give it more messages.`);
        return at.startsWith("messages") && !places.has(at) ? at : null;
      },
      60_000, // uses a hundredth of a busy core, however slow it is
    );
    places.add(place);
    await server.end("SIGKILL");
    // The effects of the last commit exist, whichever commit it was.
    places.add(standing() ?? place);
    await server.start();
    const login = await guest.post("/api/auth/login", { username: "ann", password: PASSWORD });
    expect(login.body.code).toBe("invalid_credentials");
  }
  await eventually("the erasure is done", () => isTimeToLook() && standing() === undefined, 120_000);
  const count = (where: string) =>
    file((database) => database.query<{ n: number }, []>(`select count(*) as n from ${where}`).get()?.n);
  expect(count("messages where sender_name = 'ann' or user_id = 1 or mentions like '%\"ann\"%'")).toBe(0);
  expect(count("messages where sender_name = 'deleted-user' and user_id is null")).toBe(MESSAGES / 2);
  expect(count("messages where sender_name = 'bob' and user_id = 2")).toBe(MESSAGES / 2 + 1);
  expect(count("audit_log where action = 'user_erased'")).toBe(1);
  expect(count("ledger_balances where account = 'user:1' and balance = '0'")).toBe(1);
  console.log(JSON.stringify({ kills: KILLS, places: [...places] }));
});

/** Inserts many messages of both, as if they had been sent. */
function fill(database: Database): void {
  const { id, last_seq } = database
    .query<{ id: number; last_seq: number }, []>("select id, last_seq from channels where slug = 'general'")
    .get() ?? { id: 0, last_seq: 0 };
  const insert = database.prepare(
    `insert into messages (channel_id, seq, type, content, sender_type, user_id, sender_name, created_at)
     values (?, ?, 'text', 'some words', 'user', ?, ?, 0)`,
  );
  database.transaction(() => {
    for (let n = 1; n <= MESSAGES; n += 1) insert.run(id, last_seq + n, (n % 2) + 1, n % 2 === 0 ? "ann" : "bob");
    database.run("update channels set last_seq = ? where id = ?", [last_seq + MESSAGES, id]);
  })();
}
