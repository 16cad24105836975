import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { unpackRelease } from "../../../../tools/release-folder.ts";
import { readChangelog } from "../../../../tools/releases.ts";
import { temporaryFolder } from "../support/config.ts";
import { openPlace } from "../support/databases.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { RedisServer } from "../support/servers/redis-server.ts";
import { Client, signUp } from "../support/servers/test-server.ts";

/** A commit from the day before 0.1.0 on which servers with data run. */
const EARLIER = "17e4e5110ffbc6c87931092006cbcb2752319728";

/** Version 0.1.0 cannot be a node of a cluster. It and this version refuse each other, and this one takes its data over. */
let main = "";
let earlier = "";
beforeAll(async () => {
  const release = (await readChangelog()).releases.find(({ version }) => version === "0.1.0");
  main = await unpackRelease(release?.commit ?? "", join(temporaryFolder(), "0.1.0"));
  earlier = await unpackRelease(EARLIER, join(temporaryFolder(), "earlier"));
}, 4 * PATIENCE_MS);

const stack: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of stack.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** Returns the URL of an empty PostgreSQL schema, which is dropped when the servers have ended. */
async function newDatabase(): Promise<string> {
  const place = await openPlace();
  stack.push(place);
  return place.url;
}

/** Returns servers of both versions, not started yet, with the same data. */
function versions(env: Record<string, string> = {}, program = main): [old: ChildServer, head: ChildServer] {
  const [folder, port] = [temporaryFolder(), freePort()];
  const both: [ChildServer, ChildServer] = [
    new ChildServer(folder, port, env, { main: program }),
    new ChildServer(folder, freePort(), env),
  ];
  stack.push(...both);
  return both;
}

/** Returns why the server does not start. */
const refusal = (server: ChildServer): Promise<string> =>
  server.start().then(
    () => expect.unreachable("it was not refused"),
    (error: Error) => error.message,
  );

const PAGES = ["/api/messages?channel_id=1&limit=200", "/api/user/ann", "/api/user/ann/honor", "/api/auth/sessions"];
const CHANNELS = ["/api/channels", "/api/channels/2/members", "/api/messages?channel_id=2", "/api/channels/2/pins"];

/** Reads everything that users see. */
async function visible(url: string, { credential }: Client): Promise<{ status: number; body: unknown }[]> {
  const client = new Client(url, credential);
  const answers = await Promise.all([...PAGES, ...CHANNELS].map((path) => client.get(path)));
  return answers.map(({ status, body }) => ({ status, body: withoutLastSeen(body) }));
}

/** Every request moves the time at which a session was last used. */
const withoutLastSeen = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body, (name, value) => (name === "last_seen_at" ? undefined : value)));

async function upgrade(env: Record<string, string> = {}, program = main): Promise<void> {
  const [old, head] = versions(env, program);
  await old.start();
  const ann = await signUp(old.url, "ann");
  await ann.post("/api/channels", { name: "club", is_private: true, password: "open sesame" });
  for (let n = 0; n < 40; n++) {
    const { body } = await ann.post("/api/messages", { channel_id: 1 + (n % 2), content: `message ${n}` });
    if (n % 10 === 1) await ann.post(`/api/messages/${body.message_id}/pin`);
    if (n % 10 === 2) await ann.put(`/api/messages/${body.message_id}/reactions/like`);
    if (n % 10 === 3) await ann.delete(`/api/messages/${body.message_id}`);
  }
  const before = await visible(old.url, ann);
  expect(before.every(({ status }) => status === 200)).toBe(true);
  expect(await old.end("SIGTERM")).toBe(0);

  await head.start();
  // Later releases add fields. What the old one answered must still be there, field by field.
  expect(await visible(head.url, ann)).toMatchObject(before);
  const sent = await new Client(head.url, ann.credential).post("/api/messages", { channel_id: 1, content: "after" });
  expect(sent.status).toBe(201);
  expect(await head.end("SIGTERM")).toBe(0);
  expect(await refusal(old)).toContain("newer Parley");
  await head.start();
}

test("this version takes over the SQLite database of 0.1.0, which then refuses it", () => upgrade());

test("this version takes over the SQLite database of a commit before 0.1.0, which then refuses it", () =>
  upgrade({}, earlier));

describe("on PostgreSQL", () => {
  test("this version takes over the database of 0.1.0, which then refuses it", async () => {
    await upgrade({ DATABASE_URL: await newDatabase() });
  });

  test("this version and 0.1.0 refuse each other while one of them runs", async () => {
    const redis = await RedisServer.start();
    stack.push(redis);
    const alone = { DATABASE_URL: await newDatabase() };
    const [old, head] = versions(alone);
    const [, node] = versions({ ...alone, REDIS_URL: redis.url });
    await old.start();
    expect(await refusal(head)).toContain("Another Parley server is using PostgreSQL");
    expect(await refusal(node)).toContain("A Parley server without REDIS_URL is using PostgreSQL");
    await old.end("SIGTERM");
    for (const each of [head, node]) {
      await each.start();
      expect(await refusal(old)).toContain("Another Parley server is using PostgreSQL");
      await each.end("SIGTERM");
    }
    expect(await refusal(old)).toContain("newer Parley");
  });
});
