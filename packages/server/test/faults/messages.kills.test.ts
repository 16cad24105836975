import { expect, test } from "bun:test";
import { allMessages } from "../support/all-messages.ts";
import { temporaryFolder } from "../support/config.ts";
import { killDuring } from "../support/faults/kill-around.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, signUp } from "../support/servers/test-server.ts";

/** Guarantees P1: kill -9 under load loses no acknowledged message and repeats none to a client that resumes. */
const KILLS = Number(process.env.PARLEY_TEST_KILLS ?? 25);
const WRITERS = 8;
/** The server is killed after this many acknowledged messages at most. */
const ACKS_PER_KILL_MAX = 120;

interface Wire {
  seq: number;
  client_msg_id: string | null;
}

/** Writes one message after another; a message with an unknown outcome is sent again under its key. */
class Writer {
  readonly acked = new Map<string, number[]>();
  readonly #client: Client;
  readonly #name: string;
  #count = 0;
  #unknown: string | undefined;

  constructor(client: Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Until the server is gone. Calls `onAck` for each acknowledged message. */
  async run(onAck: () => void): Promise<void> {
    for (;;) {
      const key = this.#unknown ?? `${this.#name}-${++this.#count}`;
      this.#unknown = key;
      const answer = await this.#client
        .post("/api/messages", { channel_slug: "general", content: key, client_msg_id: key })
        .catch(() => null);
      // Only a lost connection ends a run normally; a refusal or a different number for the same key is a failure.
      if (answer === null) return;
      const { status, body } = answer;
      if (status !== 200 && status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      this.acked.set(key, [...(this.acked.get(key) ?? []), body.seq]);
      this.#unknown = undefined;
      onAck();
    }
  }
}

/** Listens and resumes from the last seq it saw: each number must arrive once, in order. */
class Listener {
  readonly seen: string[] = [];
  last = 0;
  resumed = 0;
  #epoch = "";

  /** Joins where it left off; the ack contains the missed frames until the socket closes. */
  async join(url: string): Promise<() => Promise<void>> {
    const socket = await TestSocket.open(url);
    const isFirst = this.#epoch === "";
    const resume = isFirst ? {} : { after_seq: this.last, epoch: this.#epoch };
    const joined = await socket.command("channel:join", { channel_slug: "general", ...resume });
    expect(joined.event).toBe("ack");
    if (isFirst) this.last = joined.data.last_seq;
    else {
      expect(joined.data.recovered).toBe(true);
      this.resumed += joined.data.events.length;
      for (const { data } of joined.data.events) this.#take(data);
    }
    this.#epoch = joined.data.epoch;
    return async () => {
      await socket.closed;
      for (const { event, data } of socket.frames) if (event === "message:new") this.#take(data);
    };
  }

  #take({ seq, chat_message }: { seq: number; chat_message: Wire }): void {
    expect(seq).toBe(this.last + 1);
    this.last = seq;
    this.seen.push(chat_message.client_msg_id ?? "");
  }
}

/** `reached` resolves when `count` was called so often. */
function countdown(times: number): { count: () => void; reached: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = times;
  const count = () => {
    left -= 1;
    if (left === 0) resolve();
  };
  return { count, reached: promise };
}

test(`${KILLS} kills under ${WRITERS} writers lose, repeat and reorder nothing`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  const writers: Writer[] = [];
  for (let n = 0; n < WRITERS; n++) {
    writers.push(new Writer(await signUp(server.url, `writer${n}`), `writer${n}`));
  }
  const listener = new Listener();
  for (let kill = 0; kill < KILLS; kill++) {
    const finish = await listener.join(server.url);
    const enough = countdown(1 + ((kill * 37) % ACKS_PER_KILL_MAX));
    const writing = Promise.all(writers.map((writer) => writer.run(enough.count)));
    await enough.reached;
    // At once would always be between two commits.
    await killDuring(server, (kill * 7) % 13, () => writing);
    await Promise.all([writing, finish()]);
    await server.start();
  }
  const acked = new Map(writers.flatMap((writer) => [...writer.acked]));
  expect(acked.size).toBeGreaterThan(KILLS);
  const stored: Wire[] = await allMessages(new Client(server.url));
  const byKey = new Map(stored.map(({ client_msg_id, seq }) => [client_msg_id, seq]));
  expect(byKey.size).toBe(stored.length);
  const lost = [...acked].filter(([key, seqs]) => seqs.some((seq) => byKey.get(key) !== seq));
  expect(lost).toEqual([]);
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, n) => (stored[0]?.seq ?? 0) + n));
  // The last resume delivers what the last kill left unseen: then the listener has seen everything, once and in order.
  await listener.join(server.url);
  expect(listener.seen).toEqual(stored.map(({ client_msg_id }) => client_msg_id ?? ""));
  console.log(
    JSON.stringify({
      kills: KILLS,
      acked: acked.size,
      stored: stored.length,
      lost: lost.length,
      seen: listener.seen.length,
      resumed: listener.resumed,
    }),
  );
});
