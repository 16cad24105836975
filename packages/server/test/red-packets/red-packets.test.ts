import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sessionCookie, startSession } from "../../src/accounts/sessions/sessions.ts";
import { auditLedger } from "../../src/points/ledger-audit.ts";
import { sweepPackets } from "../../src/red-packets/close/sweep.ts";
import { user } from "../support/actors.ts";
import { stillClock } from "../support/clock.ts";
import { expectError } from "../support/expect-error.ts";
import { newChannel } from "../support/new-channel.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Answered, Client, eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

const clock = stillClock();
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ rateLimits: "off", initialPoints: 1_000 }, { clock });
});
afterAll(async () => {
  expect((await auditLedger(server.ctx.db)).problems).toEqual([]);
  await server[Symbol.asyncDispose]();
});

/** A user without a password, because hashing takes time. */
async function quickly(name: string): Promise<Client> {
  const { userId } = await user(server.ctx, name);
  const { token } = await startSession(server.ctx, userId, { address: "127.0.0.1", userAgent: null });
  return new Client(server.url, { cookie: sessionCookie(server.config, token).split(";")[0] ?? "" });
}

/** Creates a public channel for one test. */
const room = async (owner: Client, more = {}): Promise<number> => (await newChannel(owner, more)).id;

const create = (who: Client, channel_id: number, more = {}, headers = {}) =>
  who.post("/api/red-packets", { channel_id, total_amount: "10", count: 2, ...more }, { headers });
const claim = (who: Client, packetId: number) => who.post(`/api/red-packets/${packetId}/claim`);
const read = (who: Client, packetId: number) => who.get(`/api/red-packets/${packetId}`);
const points = async (name: string): Promise<number> => (await server.guest.get(`/api/user/${name}`)).body.points;

describe("a red packet of points", () => {
  test("is created, shown, claimed, read and closed", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await room(ann);
    const made = await create(ann, channel, { greeting: "good luck @all", split_type: "equal", total_amount: "11" });
    expect(made.status).toBe(201);
    const { packet_id, red_packet } = made.body;
    expect(red_packet).toMatchObject({
      channel_id: channel,
      sender_username: ann.username,
      split_type: "equal",
      chain: "ledger",
      currency: "points",
      total_amount: "11",
      remaining_amount: "11",
      count: 2,
      remaining_count: 2,
      greeting: "good luck @all",
      status: "active",
      funding: { tx_hash: null, status: "settled", problem: null, gas_paid_by: "user" },
      refund: null,
      my_claim: null,
      closed_at: null,
    });
    expect(made.body.deposit).toBeUndefined();
    expect(red_packet.fairness.seed).toBeNull();
    expect(Date.parse(red_packet.expires_at) - Date.parse(red_packet.created_at)).toBe(86_400_000);
    expect(await points(ann.username)).toBe(989);

    const { messages, last_seq } = (await bob.get(`/api/messages?channel_id=${channel}`)).body;
    expect(last_seq).toBe(1);
    expect(messages).toMatchObject([
      { id: red_packet.message_id, type: "red_packet", packet_id, content: "good luck @all", mentions: [] },
    ]);

    const first = await claim(bob, packet_id);
    expect(first.status).toBe(200);
    expect(first.body.claim).toMatchObject({
      packet_id,
      username: bob.username,
      amount: "6",
      currency: "points",
      chain: "ledger",
      address: null,
      payout: { status: "settled", tx_hash: null, gas_paid_by: "platform" },
      rank: 1,
    });
    expect(first.body.red_packet).toMatchObject({ remaining_amount: "5", remaining_count: 1 });
    expect(first.body.red_packet.my_claim).toEqual(first.body.claim);
    expect(await points(bob.username)).toBe(1_006);
    const again = await claim(bob, packet_id);
    expect({ status: again.status, claim: again.body.claim }).toEqual({ status: 200, claim: first.body.claim });

    // The sender can claim, and the last claim closes the packet.
    expect((await claim(ann, packet_id)).body.red_packet).toMatchObject({
      status: "exhausted",
      close_reason: "exhausted",
    });
    const closed = await read(server.guest, packet_id);
    expect(closed.body.claims.map(({ rank, amount }: { rank: number; amount: string }) => [rank, amount])).toEqual([
      [1, "6"],
      [2, "5"],
    ]);
    expect(closed.body.red_packet.fairness.seed).toMatch(/^[0-9a-f]{64}$/);
    expect(closed.body.red_packet.my_claim).toBeNull();
    const kinds = (await ann.get(`/api/user/${ann.username}/points`)).body.entries.map(
      ({ kind }: { kind: string }) => kind,
    );
    expect(kinds).toEqual(["packet_claim", "packet_fund", "grant"]);
  });

  test("makes its creator and its claimers members of the channel", async () => {
    const [ann, bob, cat] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const channel = await room(ann);
    const { packet_id } = (await create(bob, channel)).body;
    await claim(cat, packet_id);
    const { members } = (await ann.get(`/api/channels/${channel}/members`)).body;
    expect(new Set(members.map(({ name }: { name: string }) => name))).toEqual(
      new Set([ann.username, bob.username, cat.username]),
    );
  });

  test("can be claimed by muted users, and in a private channel by its members", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await room(ann, { is_private: true });
    const muted_until = new Date(clock.now() + 3_600_000).toISOString();
    await ann.put(`/api/channels/${channel}/members/${bob.username}`, { role: "member", muted_until });
    const { packet_id } = (await create(ann, channel)).body;
    expect((await claim(bob, packet_id)).status).toBe(200);
    expectError(await create(bob, channel), 403, "muted");
  });

  test("can be cancelled by its sender until somebody claims, and repeating it changes nothing", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await room(ann);
    const { packet_id } = (await create(ann, channel)).body;
    expectError(await bob.post(`/api/red-packets/${packet_id}/cancel`), 403, "forbidden");
    const first = await ann.post(`/api/red-packets/${packet_id}/cancel`);
    expect(first.status).toBe(200);
    expect(first.body.red_packet).toMatchObject({
      status: "refunded",
      close_reason: "cancelled",
      remaining_amount: "0",
      refund: { amount: "10", status: "settled" },
    });
    expect((await ann.post(`/api/red-packets/${packet_id}/cancel`)).body).toEqual(first.body);
    expect(await points(ann.username)).toBe(1_000);
    expectError(await claim(bob, packet_id), 409, "packet_not_active");
  });

  test("is created once per key, for ever, and says so", async () => {
    const ann = await server.newUser();
    const channel = await room(ann);
    const key = { "idempotency-key": "packet-key-1" };
    const first = await create(ann, channel, {}, key);
    clock.set(30 * 3_600_000);
    const again = await create(ann, channel, {}, key);
    expect([first.status, again.status, again.body.deduplicated]).toEqual([201, 200, true]);
    expect(again.body.packet_id).toBe(first.body.packet_id);
    expectError(await create(ann, channel, { count: 3 }, key), 409, "idempotency_conflict");
    expectError(await create(ann, channel, {}, { "idempotency-key": "short" }), 400, "idempotency_key_invalid");
  });

  test("is in its channel's list, newest first, in pages and by status", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await room(ann);
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await create(ann, channel)).body.packet_id);
    await claim(bob, ids[1] ?? 0);
    await ann.post(`/api/red-packets/${ids[0]}/cancel`);
    const page = await bob.get(`/api/red-packets?channel_id=${channel}&limit=3`);
    const idsOf = ({ body }: Answered) => body.red_packets.map((packet: { packet_id: number }) => packet.packet_id);
    expect(idsOf(page)).toEqual(ids.slice(0, 3));
    expect(page.body.red_packets[1].my_claim).toMatchObject({ username: bob.username });
    expect(page.body).toMatchObject({ channel_id: channel, has_more: true, next_before: ids[2], limit: 3 });
    const rest = await server.guest.get(`/api/red-packets?channel_id=${channel}&before=${ids[2]}`);
    expect([idsOf(rest), rest.body.has_more, rest.body.next_before]).toEqual([ids.slice(3), false, null]);
    expect(idsOf(await ann.get(`/api/red-packets?channel_id=${channel}&status=refunded`))).toEqual(ids.slice(0, 1));
    expectError(await ann.get("/api/red-packets"), 400, "channel_id_required");
    expectError(await ann.get(`/api/red-packets?channel_id=${channel}&before=x`), 400, "invalid_cursor");
    expectError(await ann.get(`/api/red-packets?channel_id=${channel}&limit=0`), 400, "invalid_limit");
  });

  test("keeps its channel from being deleted until it is closed", async () => {
    const ann = await server.newUser();
    const channel = await room(ann);
    const { packet_id } = (await create(ann, channel)).body;
    expectError(await ann.delete(`/api/channels/${channel}`), 409, "open_red_packets");
    // Refused requests took no seq.
    expect((await ann.get(`/api/channels/${channel}`)).body.channel.last_seq).toBe(1);
    await ann.post(`/api/red-packets/${packet_id}/cancel`);
    expect((await ann.delete(`/api/channels/${channel}`)).status).toBe(200);
    expectError(await read(ann, packet_id), 404, "packet_not_found");
  });
});

describe("a subscriber of the channel", () => {
  test("receives the message, each claim and the end, once and in order, live and on resume", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await room(ann);
    await using socket = await LiveSocket.open(server.url, bob.credential);
    const joined = await socket.ask("channel:join", { channel_id: channel });
    const { packet_id } = (await create(ann, channel, { expires_in: 60, count: 3 })).body;
    const claims = [(await claim(bob, packet_id)).body.claim, (await claim(ann, packet_id)).body.claim];
    clock.set(61_000);
    await sweepPackets(server.ctx);
    const [{ data: closed }] = [await socket.next("red_packet:closed")];
    await socket.settle();
    const heard = socket.frames.filter(({ data }) => "seq" in data);
    expect(heard.map(({ event, data }) => [event, data.seq])).toEqual([
      ["message:new", 1],
      ["red_packet:claimed", 2],
      ["red_packet:claimed", 3],
      ["red_packet:closed", 4],
    ]);
    const told = socket.all("red_packet:claimed").map(({ data }) => data);
    expect(told.map(({ claim }) => claim)).toEqual(claims);
    expect(told.map(({ remaining_count }) => remaining_count)).toEqual([2, 1]);
    expect(closed).toMatchObject({ packet_id, reason: "expired", red_packet: { status: "refunded" } });
    expect(closed.red_packet).toEqual({ ...(await read(server.guest, packet_id)).body.red_packet });

    await using late = await LiveSocket.open(server.url);
    const resume = { channel_id: channel, after_seq: 0, epoch: joined.data.epoch };
    const { data } = await late.ask("channel:join", resume);
    expect(data.recovered).toBe(true);
    expect(data.events).toEqual(heard.map(({ event, data }) => ({ event, data })));
  });

  test("receives 100 claims as events when 1,000 users claim at once over HTTP", async () => {
    const ann = await server.newUser();
    const channel = await room(ann);
    const people = await Promise.all(Array.from({ length: 1_000 }, (_, n) => quickly(`many${n}`)));
    await using socket = await LiveSocket.open(server.url, ann.credential);
    await socket.ask("channel:join", { channel_id: channel });
    const { packet_id } = (await create(ann, channel, { total_amount: "777", count: 100 })).body;
    const answers = await Promise.all(people.map((who) => claim(who, packet_id)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(100);
    expect(new Set(won.map(({ body }) => body.claim.rank)).size).toBe(100);
    for (const lost of answers.filter(({ status }) => status !== 200)) expectError(lost, 409, "packet_empty");
    await eventually("the end", () => socket.all("red_packet:closed").length === 1);
    expect(socket.all("red_packet:claimed")).toHaveLength(100);
    expect(socket.seqs).toEqual(socket.seqs.toSorted((a, b) => a - b));
    const { claims } = (await read(ann, packet_id)).body;
    expect(claims.reduce((sum: number, { amount }: { amount: string }) => sum + Number(amount), 0)).toBe(777);
  });
});
