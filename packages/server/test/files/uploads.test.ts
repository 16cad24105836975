import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { uploadsRunning } from "../../src/files/upload/upload-slots.ts";
import { clockAhead } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { SlowUpload } from "../support/files/slow-upload.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

/** Uploads that are slow, many, or larger than announced (protocol §13.2). */
const clock = clockAhead();
const server = await forAllTests(startTestServer({ fileQuotaMib: 3, trustedProxies: ["127.0.0.1"] }, { clock }));

const incoming = () => readdirSync(join(server.ctx.config.dataDir, "files", "incoming"));

const waiting = (count: number) =>
  eventually(`${count} uploads wait for their senders`, () => {
    const uploads = [...uploadsRunning(server.ctx)];
    return uploads.length === count && uploads.every(({ pace }) => pace.isWaiting);
  });
const nobody = () => eventually("no upload is left", () => uploadsRunning(server.ctx).size === 0);

function upload(client: Client, size: number, network = "192.0.2.200") {
  const form = new FormData();
  form.set("file", new Blob([Buffer.alloc(size, "a")]), "a.txt");
  return client.post("/api/files", undefined, { raw: form, headers: { "x-forwarded-for": network } });
}

test("slow uploads of one network leave slots to others, and give way to each other", async () => {
  using held = new DisposableStack();
  const slow: SlowUpload[] = [];
  for (let n = 0; n < 16; n++) {
    const client = await server.user(`slow${n}`);
    slow.push(held.use(new SlowUpload(client, n % 2 === 0 ? "2001:db8::1" : "2001:db8:0:0:ffff::2")));
  }
  await waiting(16);
  const late = await server.user("late");
  expectError(await upload(late, 9, "2001:db8::3"), 503, "overloaded");
  expect((await upload(late, 9, "2001:db8:0:1::3")).status).toBe(201);
  clock.ahead += 11_000;
  for (const one of slow.slice(1)) one.send("x".repeat(2_000));
  await waiting(16);
  expect((await upload(late, 9, "2001:db8::3")).status).toBe(201);
  expect(await slow[0]?.answer).toMatch(/^HTTP\/1.1 408 .*"code":"upload_too_slow"/s);
  expect(slow.filter(({ isAnswered }) => isAnswered)).toHaveLength(1);
  held.dispose();
  await nobody();
  expect(incoming()).toEqual([]);
});

/** Begins uploads of accounts and waits for them: `count` of each account, in one of so many networks. */
async function crowd(held: DisposableStack, name: string, accounts: number, count: number, networks: number) {
  const begun: { user: string; one: SlowUpload }[] = [];
  for (let n = 0; n < accounts; n++) {
    const user = `${name}${n}`;
    const client = await server.user(user);
    for (let own = 0; own < count && begun.length < 64; own++)
      begun.push({ user, one: held.use(new SlowUpload(client, `192.0.2.${n % networks}`)) });
  }
  await waiting(begun.length);
  return begun;
}

/** Lets every upload be as fast as one in an ordinary network. */
async function speedUp(uploads: readonly { one: SlowUpload }[]): Promise<void> {
  clock.ahead += 11_000;
  for (const { one } of uploads) one.send("x".repeat(400_000));
  const arrived = () => [...uploadsRunning(server.ctx)].every(({ received }) => received > 399_000);
  await eventually("the bytes have arrived", arrived);
  await waiting(uploads.length);
}

test("crowds of many networks find a slot by displacing the slowest; who has one fast upload keeps it", async () => {
  using held = new DisposableStack();
  const fast = await crowd(held, "crowd", 64, 1, 64);
  const late = await server.user("later");
  await speedUp(fast);
  expectError(await upload(late, 9), 503, "overloaded");
  clock.ahead += 40_000;
  expect((await upload(late, 9)).status).toBe(201);
  held.dispose();
  await nobody();
});

test("accounts with the most uploads give way to accounts that have none, also if they are fast", async () => {
  using held = new DisposableStack();
  const fast = await crowd(held, "grabber", 24, 3, 6);
  await speedUp(fast);
  for (let n = 0; n < 21; n++) {
    const late = await server.user(`patient${n}`);
    held.use(new SlowUpload(late, `198.51.100.${n}`));
    const accounts = () => new Set([...uploadsRunning(server.ctx)].map(({ account }) => account)).size;
    await eventually("the newcomer has a slot", () => accounts() === 22 + n + 1);
    await waiting(64);
  }
  const counts = [...Map.groupBy(uploadsRunning(server.ctx), ({ account }) => account).values()].map(
    (own) => own.length,
  );
  expect(counts.toSorted((a, b) => a - b)).toEqual([...Array(22).fill(1), ...Array(21).fill(2)]);
  const ended = fast.filter(({ one }) => one.isAnswered);
  for (const { one } of ended) expect(await one.answer).toMatch(/^HTTP\/1.1 503 .*"code":"overloaded"/s);
  held.dispose();
  await nobody();
});

test("networks with the most uploads give way to networks that have none", async () => {
  using held = new DisposableStack();
  const fast = await crowd(held, "neighbour", 64, 1, 6);
  await speedUp(fast);
  const late = await server.user("stranger");
  expectError(await upload(late, 9, "192.0.2.5"), 503, "overloaded");
  expect((await upload(late, 9, "198.51.100.1")).status).toBe(201);
  held.dispose();
  await nobody();
});

test("within a full network, too, accounts with the most uploads give way to those that have none", async () => {
  using held = new DisposableStack();
  const fast = await crowd(held, "office", 8, 2, 1);
  await speedUp(fast);
  const late = await server.user("colleague");
  expect((await upload(late, 9, "192.0.2.0")).status).toBe(201);
  held.dispose();
  await nobody();
});

test("a phone in a slow network may take long; a drip of bytes is ended", async () => {
  using phone = new SlowUpload(await server.user("phone"), "198.51.100.1");
  using drip = new SlowUpload(await server.user("drip"), "198.51.100.2");
  await waiting(2);
  const [inPhone] = [...uploadsRunning(server.ctx)].filter(({ network }) => network === "198.51.100.1");
  for (let n = 1; n <= 12; n++) {
    clock.ahead += 4_000;
    phone.send("x".repeat(8_000));
    await eventually("the bytes have arrived", () => (inPhone?.received ?? 0) > n * 8_000 - 100);
    if (n < 7) drip.send("x");
  }
  drip.send("x");
  expect(await drip.answer).toMatch(/^HTTP\/1.1 408 .*"code":"upload_too_slow"/s);
  phone.end();
  expect(await phone.answer).toMatch(/^HTTP\/1.1 201 .*"size_bytes":96000/s);
  await nobody();
});

test("a body of unknown length ends at the quota while it arrives", async () => {
  const client = await server.user("chunky");
  expect((await upload(client, 1_000_000)).status).toBe(201);
  using endless = new SlowUpload(client, "198.51.100.1");
  for (let n = 0; n < 12; n++) endless.send("x".repeat(400_000));
  expect(await endless.answer).toMatch(/^HTTP\/1.1 409 .*"code":"quota_reached"/s);
  await nobody();
  expect(incoming()).toEqual([]);
  expect((await upload(client, 2_000_000)).status).toBe(201);
});
