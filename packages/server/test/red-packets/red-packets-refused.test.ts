import { describe, expect, test } from "bun:test";
import { sweepPackets } from "../../src/red-packets/close/sweep.ts";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";
import { setLevel } from "../support/staff.ts";

const clock = stillClock();
const server = await forAllTests(startTestServer({ rateLimits: "off", initialPoints: 1_000 }, { clock }));
const [ann, bob] = [await server.user("ann"), await server.user("bob")];

const body = { channel_slug: "general", total_amount: "10", count: 2 };
const create = (who: Client, more = {}) => who.post("/api/red-packets", { ...body, ...more });
const claim = (who: Client, packetId: number | string) => who.post(`/api/red-packets/${packetId}/claim`);

let rooms = 0;
const room = async (owner: Client, more = {}): Promise<number> =>
  (await owner.post("/api/channels", { name: `Room ${++rooms}`, ...more })).body.channel_id;

describe("creating a red packet", () => {
  /** Returns everything that must not have changed. */
  const state = async () => ({
    points: (await server.guest.get("/api/user/ann")).body.points,
    packets: (await ann.get("/api/red-packets?channel_id=general")).body.red_packets.length,
    last_seq: (await ann.get("/api/messages?channel_id=general")).body.last_seq,
    ledger: (await server.ctx.db.selectFrom("ledger_transfers").select("id").execute()).length,
  });

  test.each(
    [
      10,
      10.5,
      -10,
      0,
      1e3,
      null,
      true,
      [],
      {},
      "",
      " 10",
      "10 ",
      "0",
      "-10",
      "+10",
      "010",
      "10.0",
      "1e3",
      "0x10",
      "ten",
      "1",
      "1_0",
      "१०",
      String(2n ** 256n),
      "9".repeat(78),
      "9".repeat(79),
    ].map((amount) => [amount] as const),
  )("of the amount %j is refused, and nothing moves", async (total_amount) => {
    const before = await state();
    expectError(await create(ann, { total_amount }), 400, "invalid_amount");
    expect(await state()).toEqual(before);
  });

  test("without an amount or a number of shares is refused", async () => {
    expectError(await ann.post("/api/red-packets", { channel_slug: "general", count: 1 }), 400, "invalid_amount");
    const countless = { channel_slug: "general", total_amount: "10" };
    expectError(await ann.post("/api/red-packets", countless), 400, "invalid_count");
  });

  test.each([0, -1, 201, 1.5, "2", null, 2 ** 53])("of %j shares is refused", async (count) => {
    expectError(await create(ann, { count, total_amount: "1000" }), 400, "invalid_count");
  });

  test.each([
    { chain: "bitcoin" },
    { chain: "evm" },
    { chain: "solana" },
    { chain: "evm", chain_id: 1, currency: "ETH" },
    { chain: null },
    // A request with one of these fields means a chain.
    { chain_id: 1 },
    { currency: "ETH" },
    { token_address: "0x1" },
    { tx_hash: "0xabc" },
    { chain: "ledger", chain_id: -1 },
  ])("with %j is refused if there is no chain", async (more) => {
    expectError(await create(ann, more), 400, "unsupported_chain");
  });

  test("of the whole balance works, and of more does not", async () => {
    const cat = await server.user("cat");
    expectError(await create(cat, { total_amount: "1001" }), 409, "insufficient_balance");
    expectError(await create(cat, { total_amount: String(2n ** 256n - 1n) }), 409, "insufficient_balance");
    expect((await create(cat, { total_amount: "1000", currency: "points", chain: "ledger" })).status).toBe(201);
    expectError(await create(cat, { total_amount: "2" }), 409, "insufficient_balance");
  });

  test("twice at once with the same points fails for one of them", async () => {
    const eve = await server.user("eve");
    const answers = await Promise.all([600, 700].map((amount) => create(eve, { total_amount: String(amount) })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const [made, refused] = answers[0]?.status === 201 ? answers : answers.toReversed();
    if (refused !== undefined) expectError(refused, 409, "insufficient_balance");
    const { points } = (await eve.get("/api/user/eve")).body;
    expect(points).toBe(1_000 - Number(made?.body.red_packet.total_amount));
  });

  test("validates every other field", async () => {
    for (const more of [
      { split_type: "fair" },
      { greeting: "x".repeat(121) },
      { greeting: 5 },
      { expires_in: 59 },
      { expires_in: 604_801 },
      { expires_in: "60" },
    ])
      expectError(await create(ann, more), 400, "invalid_request");
    for (const field of ["packet_id", "status", "remaining_amount", "id"])
      expectError(await create(ann, { [field]: 1 }), 400, "field_not_writable");
    expectError(await ann.post("/api/red-packets", { total_amount: "10", count: 2 }), 400, "channel_id_required");
    expectError(await create(ann, { channel_slug: "nowhere" }), 404, "channel_not_found");
    for (const expires_in of [60, 604_800]) expect((await create(ann, { expires_in })).status).toBe(201);
    expect((await create(ann, { greeting: "🧧".repeat(60) })).status).toBe(201);
  });

  test("is allowed to users who may post in the channel", async () => {
    expectError(await create(server.guest), 401, "session_required");
    expectError(await create(await server.agent("helper")), 401, "session_required");
    const [hidden, locked] = [
      await room(ann, { is_private: true }),
      await room(ann, { is_private: true, password: "let me in" }),
    ];
    const into = (who: Client, channel_id: number) =>
      who.post("/api/red-packets", { channel_id, total_amount: "2", count: 1 });
    expectError(await into(bob, hidden), 404, "channel_not_found");
    expectError(await into(bob, locked), 403, "not_a_member");
    const strict = await room(ann);
    await ann.put(`/api/channels/${strict}`, { post_policy: "admins" });
    expectError(await into(bob, strict), 403, "post_policy");
    await ann.post(`/api/channels/${strict}/bans`, { username: "bob" });
    expectError(await into(bob, strict), 403, "banned");
    await setLevel(server, "bob", 2);
    expectError(await into(bob, hidden), 403, "not_a_member");
    await setLevel(server, "bob", null);
  });

  test("counts as posting, so slow mode covers packets and messages; repeating a request needs no turn", async () => {
    const channel_id = await room(ann);
    await ann.put(`/api/channels/${channel_id}`, { slow_mode_seconds: 30 });
    const pack = { channel_id, total_amount: "2", count: 1 };
    const keyed = { headers: { "idempotency-key": "slow-packet" } };
    expectError(await bob.post("/api/red-packets", { ...pack, total_amount: "99999" }), 409, "insufficient_balance");
    expect((await bob.post("/api/red-packets", pack, keyed)).status).toBe(201);
    const hurried = await bob.post("/api/red-packets", pack);
    expectError(hurried, 429, "slow_mode");
    expect(hurried.headers.get("retry-after")).toBe("30");
    expectError(await bob.post("/api/messages", { channel_id, content: "hello" }), 429, "slow_mode");
    expect((await bob.post("/api/red-packets", pack, keyed)).body.deduplicated).toBeTrue();
    expect((await ann.post("/api/red-packets", pack)).status).toBe(201);
    clock.advance(30_000);
    expect((await bob.post("/api/red-packets", pack)).status).toBe(201);
  });
});

describe("claiming a red packet", () => {
  test("is allowed to users who can be in the channel", async () => {
    const { packet_id } = (await create(ann)).body;
    expectError(await claim(server.guest, packet_id), 401, "session_required");
    expectError(await claim(await server.agent("claimer"), packet_id), 401, "session_required");
    expectError(await claim(bob, 99_999), 404, "packet_not_found");
    expectError(await claim(bob, "x"), 400, "invalid_id");

    const inside = async (channel_id: number): Promise<number> =>
      (await ann.post("/api/red-packets", { channel_id, total_amount: "2", count: 1 })).body.packet_id;
    const hidden = await inside(await room(ann, { is_private: true }));
    const locked = await inside(await room(ann, { is_private: true, password: "let me in" }));
    for (const act of ["claim", "cancel"]) {
      expectError(await bob.post(`/api/red-packets/${hidden}/${act}`), 404, "packet_not_found");
      expectError(await bob.post(`/api/red-packets/${locked}/${act}`), 403, "password_required");
    }
    expectError(await bob.get(`/api/red-packets/${hidden}`), 404, "packet_not_found");
    expectError(await bob.get(`/api/red-packets/${locked}`), 403, "password_required");
    expectError(await server.guest.get("/api/red-packets/99999"), 404, "packet_not_found");

    await setLevel(server, "bob", 2);
    expect((await bob.get(`/api/red-packets/${hidden}`)).status).toBe(200);
    const looking = await claim(bob, hidden);
    expectError(looking, 403, "not_eligible");
    expect(looking.body.details).toEqual({ reason: "not_a_member" });
    await setLevel(server, "bob", null);

    const open = await room(ann);
    const there = await inside(open);
    await ann.post(`/api/channels/${open}/bans`, { username: "bob" });
    const banned = await claim(bob, there);
    expectError(banned, 403, "not_eligible");
    expect(banned.body.details).toEqual({ reason: "banned" });
  });

  test("is refused when it is too late", async () => {
    const empty = (await create(ann, { count: 1, total_amount: "3" })).body.packet_id;
    expect((await claim(bob, empty)).status).toBe(200);
    expectError(await claim(ann, empty), 409, "packet_empty");
    const cancel = (id: number) => ann.post(`/api/red-packets/${id}/cancel`);
    expectError(await cancel(empty), 409, "packet_claimed");

    const begun = (await create(ann)).body.packet_id;
    await claim(bob, begun);
    expectError(await cancel(begun), 409, "packet_claimed");

    const old = (await create(ann, { expires_in: 60 })).body.packet_id;
    clock.advance(60_000);
    expectError(await claim(bob, old), 410, "packet_expired");
    await sweepPackets(server.ctx);
    expectError(await claim(bob, old), 410, "packet_expired");
    expectError(await cancel(old), 410, "packet_expired");
    expect((await ann.get(`/api/red-packets/${old}`)).body.red_packet.status).toBe("refunded");
    expectError(await ann.post(`/api/red-packets/${begun}/fund`, { tx_hash: "0xabc" }), 409, "packet_not_active");
    expectError(await bob.post(`/api/red-packets/${begun}/fund`, { tx_hash: "0xabc" }), 403, "forbidden");
    expectError(await ann.post(`/api/red-packets/${begun}/fund`, {}), 400, "invalid_tx_hash");
    expectError(await ann.post(`/api/red-packets/${begun}/fund`, { tx_hash: 5 }), 400, "invalid_tx_hash");
  });
});

test("guests who cannot read see no packets, nor do banned users", async () => {
  await using closed = await startTestServer({ rateLimits: "off", guestRead: false });
  const [olga, bert] = [await closed.user("olga"), await closed.user("bert")];
  const channel_id = (await olga.post("/api/channels", { name: "Tea" })).body.channel_id;
  const made = await olga.post("/api/red-packets", { channel_id, total_amount: "2", count: 1 });
  const path = `/api/red-packets/${made.body.packet_id}`;
  expectError(await closed.guest.get(path), 401, "session_required");
  expectError(await closed.guest.get(`/api/red-packets?channel_id=${channel_id}`), 401, "session_required");
  await olga.post(`/api/channels/${channel_id}/bans`, { username: "bert" });
  expectError(await bert.get(path), 403, "banned");
  expectError(await bert.post(`${path}/claim`), 403, "banned");
  expectError(await bert.post(`${path}/cancel`), 403, "banned");
  expectError(await bert.post(`${path}/fund`, { tx_hash: "0xabc" }), 403, "banned");
  expectError(await bert.get(`/api/red-packets?channel_id=${channel_id}`), 403, "banned");
});

test("a suspended account can neither create nor claim packets", async () => {
  const dan = await server.user("dan");
  const { packet_id } = (await create(ann)).body;
  await setLevel(server, "ann", 3);
  const until = new Date(clock.now() + 3_600_000).toISOString();
  expect((await ann.put("/api/admin/users/dan", { suspended_until: until })).status).toBe(200);
  expectError(await create(dan), 401, "session_required");
  expectError(await claim(dan, packet_id), 401, "session_required");
  await setLevel(server, "ann", null);
});

test("creating and claiming have their own rate limits in production", async () => {
  const limits = { rateLimits: "on", rateFactor: 1, initialPoints: 1_000 } as const;
  await using strict = await startTestServer(limits, { clock: stillClock() });
  const olga = await strict.user("olga");
  for (let n = 0; n < 10; n += 1) expect((await create(olga)).status).toBe(201);
  const refused = await create(olga);
  expectError(refused, 429, "rate_limited");
  expect(refused.headers.get("ratelimit-policy")).toBe('"packet-create";q=10;w=60');
  for (let n = 0; n < 30; n += 1) expect((await claim(olga, 1)).status).toBe(200);
  const claimed = await claim(olga, 1);
  expectError(claimed, 429, "rate_limited");
  expect(claimed.headers.get("ratelimit-policy")).toBe('"packet-claim";q=30;w=60');
});
