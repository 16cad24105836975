import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { unpackRelease } from "../../../../tools/release-folder.ts";
import { hasObject, readChangelog } from "../../../../tools/releases.ts";
import { temporaryFolder } from "../support/config.ts";
import { openPlace } from "../support/databases.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { RedisServer } from "../support/servers/redis-server.ts";
import { Client, eventually, logIn, signUp } from "../support/servers/test-server.ts";

const GENERAL = 1;
const EACH = 40;
/** What is promised if no message passes between the nodes (guarantees P17). */
const REVOKED_MS = 2_000;

/** The last release that can be a node of a cluster. */
const former = (await readChangelog()).releases.find(({ commit }) =>
  hasObject(`${commit}:packages/server/src/cluster/cluster.ts`),
);
/** Until there is such a release, this shows only that the test works: the commit of this clone takes its place. */
const { version, commit } = former ?? { version: "this commit, in place of a release", commit: "HEAD" };

let main = "";
beforeAll(async () => {
  main = await unpackRelease(commit, join(temporaryFolder(), "former"));
}, 4 * PATIENCE_MS);

/** Sends messages one after the other until told to stop. Any answer but 201 counts as a failure. */
class Writer {
  readonly ids: number[] = [];
  readonly failures: string[] = [];
  readonly #client: Client;
  readonly #name: string;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
    // A request without an answer is a failure too, and ends the writer.
    this.#running = this.#run().catch((error: unknown) => void this.failures.push(String(error)));
  }

  async #run(): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const content = `${this.#name} ${n}`;
      const { status, body } = await this.#client.post("/api/messages", { channel_id: GENERAL, content });
      if (status === 201) this.ids.push(body.message_id);
      else this.failures.push(`${status} ${JSON.stringify(body)}`);
    }
  }

  stop(): Promise<void> {
    this.#isOver = true;
    return this.#running;
  }
}

async function joinGeneral(url: string, { credential }: Client, after?: { after_seq: number; epoch: string }) {
  const socket = await LiveSocket.open(url, credential);
  const { event, data } = await socket.ask("channel:join", { channel_id: GENERAL, ...after });
  expect(event).toBe("ack");
  return { socket, ack: data };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe(`a node of ${version} and one of the head`, () => {
  test("write, read, deliver and revoke together, and the old one drains without a failure", async () => {
    await using redis = await RedisServer.start();
    await using place = await openPlace();
    const env = { DATABASE_URL: place.url, REDIS_URL: redis.url, PARLEY_RATE_LIMITS: "off" };
    await using old = new ChildServer(temporaryFolder(), freePort(), { ...env, PARLEY_NODE_NAME: "old" }, { main });
    await using head = new ChildServer(temporaryFolder(), freePort(), { ...env, PARLEY_NODE_NAME: "head" });
    await old.start();
    const ann = await signUp(old.url, "ann");
    // The head migrates while the old node works.
    const first = new Writer(ann, "ann");
    await head.start();
    const bob = await signUp(head.url, "bob");
    const second = new Writer(bob, "bob");

    await using onOld = (await joinGeneral(old.url, bob)).socket;
    const joined = await joinGeneral(head.url, ann);
    await using onHead = joined.socket;
    const seen = Math.max(first.ids.length, second.ids.length);
    await eventually("both have written", () => Math.min(first.ids.length, second.ids.length) > seen + EACH);

    // Each shows at once what the other has acknowledged.
    for (const [writer, reader] of [
      [first, new Client(head.url, ann.credential)],
      [second, new Client(old.url, bob.credential)],
    ] as const) {
      const id = writer.ids.at(-1);
      const { body } = await reader.get(`/api/messages?channel_id=${GENERAL}&around=${id}`);
      expect(body.messages.map((message: { id: number }) => message.id)).toContain(id);
    }

    // A session that ends on one node ends on the other.
    for (const [here, there] of [
      [old.url, head.url],
      [head.url, old.url],
    ] as const) {
      const session = await logIn(here, "ann");
      const elsewhere = new Client(there, session.credential);
      expect((await elsewhere.get("/api/auth/sessions")).status).toBe(200);
      await using socket = await LiveSocket.open(there, session.credential);
      expect((await session.post("/api/auth/logout")).status).toBe(200);
      const isOver = async () => (await elsewhere.get("/api/auth/sessions")).status === 401;
      await eventually("the session has ended on the other node", isOver, REVOKED_MS);
      expect((await socket.whenClosed()).code).toBe(4401);
    }

    // The old node ends. Its clients go to the other one, and miss nothing.
    await first.stop();
    expect(await old.end("SIGTERM")).toBe(0);
    expect((await onOld.whenClosed()).code).toBe(1012);
    const position = { after_seq: onOld.seqs.at(-1) ?? 0, epoch: joined.ack.epoch };
    const again = await joinGeneral(head.url, bob, position);
    await using back = again.socket;
    expect(again.ack.recovered).toBe(true);
    const more = second.ids.length + EACH;
    await eventually("the other goes on", () => second.ids.length > more);
    await second.stop();

    expect([...first.failures, ...second.failures]).toEqual([]);
    const { body } = await bob.get(`/api/messages?channel_id=${GENERAL}&limit=1`);
    const last = body.last_seq as number;
    expect(last).toBe(first.ids.length + second.ids.length);
    await eventually("the sockets have all", () => onHead.seqs.at(-1) === last && back.seqs.at(-1) === last);
    expect(onHead.seqs).toEqual(range(joined.ack.last_seq + 1, last));
    const missed = again.ack.events.map((frame: { data: { seq: number } }) => frame.data.seq);
    const whole = [...onOld.seqs, ...missed, ...back.seqs];
    expect(whole).toEqual(range(whole[0] ?? 0, last));
  });
});
