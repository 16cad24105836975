import { expect, test } from "bun:test";
import type { RedisLink } from "../../redis/redis-link.ts";
import { Subscriptions } from "./subscriptions.ts";

/** A link whose commands wait until the test answers them. */
class SlowLink {
  readonly calls: string[] = [];
  #answers: (() => void)[] = [];
  isSlow = false;
  isOpen = true;
  refusal: Error | null = null;

  subscribe(topics: readonly string[]): Promise<void> {
    return this.#call(`+${topics.join(",")}`);
  }

  async unsubscribe(topics: readonly string[]): Promise<void> {
    if (topics.length > 0) await this.#call(`-${topics.join(",")}`);
  }

  answer(): void {
    for (const answer of this.#answers.splice(0)) answer();
  }

  #call(text: string): Promise<void> {
    this.calls.push(text);
    if (this.refusal !== null) return Promise.reject(this.refusal);
    return this.isSlow ? new Promise((resolve) => this.#answers.push(resolve)) : Promise.resolve();
  }
}

async function start() {
  const link = new SlowLink();
  const time = { now: 0 };
  const late: string[] = [];
  const refusals: unknown[] = [];
  const subscriptions = new Subscriptions({
    handler: () => {},
    now: () => time.now,
    onLate: (topics) => void late.push(...topics),
    onFailed: (error) => void refusals.push(error),
  });
  await subscriptions.attach(link as unknown as RedisLink);
  return { link, time, late, refusals, subscriptions };
}

const turns = async (count = 3) => {
  for (let n = 0; n < count; n++) await new Promise(setImmediate);
};

test("topics of one turn share a command, and one command is under way at a time", async () => {
  const { link, subscriptions } = await start();
  link.isSlow = true;
  const first = [subscriptions.hold("a"), subscriptions.hold("b"), subscriptions.hold("a")];
  await turns();
  expect(link.calls).toEqual(["+a,b"]);
  const second = subscriptions.hold("c");
  await turns();
  expect(link.calls).toHaveLength(1);
  link.answer();
  await Promise.all(first);
  await turns();
  expect(link.calls).toEqual(["+a,b", "+c"]);
  link.answer();
  await second;
  await subscriptions.hold("a");
  expect(link.calls).toHaveLength(2);
});

test("a topic is kept for thirty seconds after its last holder left", async () => {
  const { link, time, subscriptions } = await start();
  await Promise.all([subscriptions.hold("a"), subscriptions.hold("b")]);
  subscriptions.release("a");
  subscriptions.release("b");
  time.now = 29_000;
  subscriptions.sweep();
  await subscriptions.hold("b");
  time.now = 31_000;
  subscriptions.sweep();
  await turns();
  expect(link.calls).toEqual(["+a,b", "-a"]);
  await subscriptions.hold("a");
  expect(link.calls).toEqual(["+a,b", "-a", "+a"]);
});

test("subscribing again waits for the end of unsubscribing", async () => {
  const { link, time, subscriptions } = await start();
  await subscriptions.hold("a");
  subscriptions.release("a");
  link.isSlow = true;
  time.now = 31_000;
  subscriptions.sweep();
  const again = subscriptions.hold("a");
  await turns();
  expect(link.calls).toEqual(["+a", "-a"]);
  link.answer();
  await turns();
  expect(link.calls).toEqual(["+a", "-a", "+a"]);
  link.answer();
  await again;
});

test("nobody waits for a link that is lost, and the next one gets all topics", async () => {
  const { link, subscriptions } = await start();
  await subscriptions.hold("a");
  link.isSlow = true;
  const waiting = subscriptions.hold("b");
  await turns();
  subscriptions.detach();
  await waiting;
  await subscriptions.hold("c");
  const next = new SlowLink();
  await subscriptions.attach(next as unknown as RedisLink);
  expect(next.calls).toEqual(["+a,b,c"]);
  link.answer();
  await turns();
  expect(next.calls).toHaveLength(1);
});

test("a holder waits for a second; that its topic came later is reported", async () => {
  const { link, late, subscriptions } = await start();
  link.isSlow = true;
  await subscriptions.hold("a");
  expect(late).toEqual([]);
  link.answer();
  await turns();
  expect(late).toEqual(["a"]);
});

test("a refusal of Redis is reported while the link is open, and holders do not wait", async () => {
  const { link, refusals, subscriptions } = await start();
  link.refusal = new Error("NOPERM");
  await subscriptions.hold("a");
  await turns();
  expect(refusals).toEqual([link.refusal]);
  link.isOpen = false;
  await subscriptions.hold("b");
  await turns();
  expect(refusals).toHaveLength(1);
});
