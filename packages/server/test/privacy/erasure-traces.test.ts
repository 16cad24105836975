import { expect, test } from "bun:test";
import type { AppContext } from "../../src/context.ts";
import { auditLedger } from "../../src/points/ledger-audit.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { claimId } from "../../src/red-packets/claim/packet-claims.store.ts";
import { claimKey } from "../../src/red-packets/claim/payout-port.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { ClaimWorld } from "../support/browser/claim-walk.ts";
import { eachDatabase } from "../support/databases.ts";
import { dump } from "../support/dump.ts";
import { stillGif } from "../support/gifs.ts";
import { type Client, PASSWORD } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { newSticker } from "../support/stickers.ts";

const NAME = "Zuleika.Q-7";
const EMAIL = "zuleika@private.example";
const EVM = "0x52908400098527886E0F7030069857D2E4169EE7";
const SOL = "So11111111111111111111111111111111111111112";
const REASON = "because he knows where I live";
const SHOWN = { display_name: "祖莱卡", status: { text: "Off to Timbuktu" } };
const BROWSER = "Zuleikas-Browser/7";
const HANDLE = "zuleika.handle.example.com";
const TRACES = [NAME, EMAIL, EVM, SOL, REASON, BROWSER, HANDLE, SHOWN.display_name, SHOWN.status.text];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** All that may remain of a deleted user: texts of others that mention them, and the index of those words. */
const isText = (table: string, column: string): boolean =>
  (table === "messages" && column === "content") || table.startsWith("message_words");

eachDatabase((_, open) => {
  test("after an erasure no table reveals who the user was", async () => {
    await using world = await ClaimWorld.start({}, { database: await open() });
    const { server } = world;
    const ok = async (answer: ReturnType<Client["get"]>) => {
      const { status, body } = await answer;
      if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body;
    };
    const bob = await server.user("bob");
    const olga = await staff(server, "olga", 3);
    const zed = await staff(server, NAME, 1);
    const login = { username: NAME, password: PASSWORD };
    await ok(server.guest.post("/api/auth/login", login, { headers: { "user-agent": BROWSER } }));
    const { invite_code } = await ok(bob.get("/api/user/bob"));
    const profile = {
      ...SHOWN,
      email: EMAIL,
      avatar: PNG,
      evm_address: EVM,
      sol_address: SOL,
      current_password: PASSWORD,
    };
    const own = await ok(zed.put(`/api/user/${NAME}`, profile));
    await ok(server.guest.post("/api/auth/register", { username: "c1", password: PASSWORD, invite_code }));
    const code = own.user.invite_code;
    await ok(server.guest.post("/api/auth/register", { username: "c2", password: PASSWORD, invite_code: code }));
    await ok(zed.post(`/api/user/${NAME}/wallets/challenge`, { chain: "evm", address: EVM }));

    // Channels: one handed over, one deleted, bans of each kind, a conversation, roles and settings.
    const key = { headers: { "idempotency-key": "zuleikas-room-1" } };
    const { channel_id: room } = await ok(zed.post("/api/channels", { name: "Room" }, key));
    const { channel_id: gone } = await ok(zed.post("/api/channels", { name: "Gone" }));
    const { channel_id: bobs } = await ok(bob.post("/api/channels", { name: "Bobs" }));
    await ok(bob.put(`/api/channels/${bobs}/members/${NAME}`, { role: "admin" }));
    await ok(zed.post(`/api/channels/${bobs}/bans`, { username: "c1", reason: "noise" }));
    await ok(zed.post(`/api/channels/${bobs}/incoming-webhooks`, { name: "Alerts" }));
    await ok(zed.post("/api/webhooks", { url: "https://8.8.8.8/x", events: ["channel.deleted"], channel_id: bobs }));
    const { channel_id: direct } = await ok(bob.post("/api/direct", { username: NAME }, key));
    const { channel_id: hers } = await ok(zed.post("/api/direct", { username: "c2" }));
    await ok(zed.post("/api/messages", { channel_id: direct, content: "between us" }));
    const scout = await server.agent("Confidant");
    await server.ctx.db.updateTable("agents").set({ dm_policy: "everyone" }).where("id", "=", scout.agentId).execute();
    const { channel_id: told } = await ok(zed.post("/api/direct", { agent_name: "Confidant" }));
    await ok(zed.post("/api/messages", { channel_id: told, content: "between me and it" }));
    await ok(zed.put("/api/sidebar", { sorting: "activity", channels: { [bobs]: { section: `${NAME}'s own` } } }));

    // Messages by her and about her; stickers, reactions, pins and reports.
    const sticker = await newSticker(zed, stillGif(1, 1, "hers"));
    const unused = await newSticker(zed, stillGif(1, 1, "unused"));
    const say = async (who: Client, more: object = {}) =>
      ok(who.post("/api/messages", { channel_id: bobs, content: `hi @${NAME} and @bob`, ...more }));
    const mine = await say(zed, { client_msg_id: `${NAME}-1` });
    const bobs1 = await say(bob);
    const { channel_id: passed } = await ok(bob.post("/api/channels", { name: "Passed" }));
    const passedOn = await say(zed, { channel_id: passed, content: "pass this on" });
    await ok(bob.post(`/api/messages/${passedOn.message_id}/forward`, { channel_id: passed }));
    await ok(zed.put(`/api/saved/${bobs1.message_id}`, {}));
    const shown = await say(bob, { sticker_id: sticker.sticker_id });
    await say(zed, { content: "bye", sticker_id: sticker.sticker_id });
    for (const reaction of ["like", "👍"]) {
      await ok(zed.put(`/api/messages/${bobs1.message_id}/reactions/${reaction}`));
      await ok(bob.put(`/api/messages/${bobs1.message_id}/reactions/${reaction}`));
    }
    await ok(bob.put(`/api/messages/${mine.message_id}/reactions/like`));
    await ok(zed.put(`/api/messages/${shown.message_id}/reactions/like`));
    const { poll } = await ok(bob.post("/api/polls", { channel_id: bobs, question: "?", options: ["a", "b"] }));
    await ok(zed.put(`/api/polls/${poll.poll_id}/vote`, { option_ids: [1] }));
    await ok(zed.post(`/api/messages/${bobs1.message_id}/pin`));
    await ok(zed.post(`/api/messages/${shown.message_id}/report`, { reason: REASON }));
    const { report_id } = await ok(bob.post(`/api/messages/${mine.message_id}/report`, { reason: "rude" }));
    const outside = await ok(olga.post("/api/messages", { channel_slug: "general", content: "x" }));
    await ok(zed.post(`/api/messages/${outside.message_id}/pin`));
    await ok(olga.put(`/api/admin/reports/${report_id}`, { status: "resolved", note: "talked to both" }));
    const other = await ok(bob.post(`/api/messages/${outside.message_id}/report`, { reason: "loud" }));
    await ok(zed.put(`/api/admin/reports/${other.report_id}`, { status: "dismissed", note: "it is fine" }));
    await ok(olga.put(`/api/admin/users/${NAME}`, { admin_level: 2 }));
    await ok(olga.put(`/api/channels/${bobs}/members/${NAME}`, { muted_until: null }));

    // Agents: one that is hers, and one that only names her.
    const agent = await world.claim(HANDLE, zed);
    const labelled = await world.claimLabelled("other.example.com", NAME);
    await ok(
      agent.post("/api/agenthub/send", { channel_slug: "general", message: `ask @${NAME}`, agent_name: "Zbot" }),
    );
    await ok(agent.post("/api/agenthub/login", { channel_slug: "bobs", agent_name: "Zbot" }));
    await say(zed, { content: "@Zbot hello" });
    await ok(zed.delete(`/api/channels/${bobs}/members/Zbot`));
    const { agents } = await ok(zed.get("/api/agents"));
    const hersId = agents.find((each: { agent_names: string[] }) => each.agent_names.includes("Zbot")).agent_id;
    for (const paused of [true, false]) await ok(zed.put(`/api/agents/${hersId}`, { paused }));
    const { agent_notices } = await ok(zed.get(`/api/user/${NAME}/export`));
    expect(agent_notices.map(({ type }: { type: string }) => type)).toEqual(["kicked", "paused", "resumed"]);
    expect((await ok(agent.get("/api/agenthub/inbox"))).count).toBe(4);
    await searchConsumer(server.ctx).flush();

    // A red packet on a chain that was sent, claimed and paid out.
    await settledPacket(server.ctx, room);
    await ok(zed.put(`/api/channels/${room}`, { owner_username: "bob" }));
    await ok(zed.delete(`/api/channels/${gone}`));
    const before = await dump(server.ctx.db);
    for (const trace of TRACES) {
      expect(before.filter(({ text }) => text.includes(trace)).length, trace).toBeGreaterThan(0);
    }

    await ok(zed.delete(`/api/user/${NAME}`, { body: { password: PASSWORD } }));
    await eraseAll(server.ctx);

    const after = await dump(server.ctx.db);
    const traces = TRACES.map((trace) => trace.toLowerCase());
    const left = after.filter(
      ({ table, column, text }) =>
        !isText(table, column) && traces.some((trace) => withoutContent(text).toLowerCase().includes(trace)),
    );
    expect(left).toEqual([]);

    // The remaining rows are consistent.
    const page = (await ok(bob.get(`/api/messages?channel_id=${bobs}`))).messages;
    const senders = page.map(({ username }: { username: string }) => username);
    expect(senders).toEqual(["deleted-user", "bob", "bob", "deleted-user", "bob", "deleted-user"]);
    expect(page[1]).toMatchObject({ pinned_by: "deleted-user", content: `hi @${NAME} and @bob` });
    expect(page[1].reactions).toEqual([
      { reaction: "like", count: 1, me: true },
      { reaction: "👍", count: 1, me: true },
    ]);
    expect(page[1].mentions).toEqual([]);
    expect(page[0].mentions.map(({ name }: { name: string }) => name)).toEqual(["bob"]);
    expect(page[2]).toMatchObject({ reactions: [], sticker: { username: "deleted-user" } });
    const stats = await Promise.all([sticker, unused].map(async ({ url }) => (await fetch(server.url + url)).status));
    expect(stats).toEqual([200, 404]);
    expect((await agent.get("/api/agenthub/mentions")).body.code).toBe("key_revoked");
    expect((await labelled.get("/api/agenthub/mentions")).status).toBe(200);
    const { channel } = await ok(bob.get(`/api/channels/${direct}`));
    expect(channel).toMatchObject({ direct_with: "deleted-user", name: "bob, deleted-user", member_count: 1 });
    expect((await ok(bob.get(`/api/messages?channel_id=${direct}`))).messages[0].username).toBe("deleted-user");
    expect((await ok(bob.get(`/api/channels/${room}/members`))).members).toHaveLength(1);
    expect(hers).toBeGreaterThan(0);
    expect((await auditLedger(server.ctx.db)).problems).toEqual([]);
    const { entries } = await ok(olga.get("/api/admin/audit?limit=200"));
    expect(entries[0]).toMatchObject({ action: "user_erased", subject_name: "deleted-user" });
    const acts = entries.filter(({ actor }: { actor: string }) => actor === entries[0].subject);
    expect(acts.map(({ action }: { action: string }) => action)).toEqual([
      "user_erased",
      "report_close",
      "message_pin",
    ]);
    expect(
      (await ok(olga.get("/api/admin/users"))).users.map(({ username }: { username: string }) => username),
    ).toEqual(["bob", "c1", "c2", "olga"]);
    expect((await ok(olga.get("/api/admin/reports"))).reports).toHaveLength(2);
    expect(await server.ctx.db.selectFrom("erasures").selectAll().execute()).toEqual([]);
  });
});

async function settledPacket({ db }: AppContext, channelId: number): Promise<void> {
  const { id } = await db.selectFrom("users").select("id").where("username", "=", NAME).executeTakeFirstOrThrow();
  const coin = {
    chain: "evm",
    chain_id: 1,
    currency: "ETH",
    token_address: null,
    ledger_currency: "evm:1:ETH",
  } as const;
  const states = { status: "exhausted", close_reason: "exhausted", funding_status: "settled" } as const;
  const amounts = { total_amount: "5", remaining_amount: "0", count: 1, remaining_count: 0, min_share: "1" };
  const times = { created_at: 1, expires_at: 2, closed_at: 2 };
  const secrets = { seed: "00", commitment: "00", client_key: `u${id}:${NAME}`, client_hash: "x" };
  const packet = await db
    .insertInto("packets")
    .values({
      ...{ ...coin, ...states, ...amounts, ...times, ...secrets, decimals: 18, greeting: "", split_type: "equal" },
      ...{ channel_id: channelId, message_id: 1, sender_id: id, expires_in: 60, funder: EVM, due_at: null },
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  const claim = {
    id: claimId(packet.id, 1),
    packet_id: packet.id,
    user_id: id,
    rank: 1,
    amount: "5",
    address: EVM,
    claimed_at: 2,
  };
  await db
    .insertInto("packet_claims")
    .values({ ...claim, payout_status: "settled" })
    .execute();
  const bought = { resource: "/api/paid/report", principal: `u${id}`, currency: "ETH", recipient: "0x3" };
  await db
    .insertInto("payments")
    .values({
      ...{ ...bought, chain: "evm", chain_id: 1, tx_hash: "0x4", state: "granted", lease_until: 1, price: "5" },
      ...{ amount: "5", payer: EVM, binding: "profile", created_at: 1, granted_at: 1 },
    })
    .execute();
  const sold = { slug: "report", path: "/api/paid/report", media_type: "text/plain", body: new Uint8Array([1]) };
  await db
    .insertInto("paid_resources")
    .values({
      ...{ ...sold, size_bytes: 1, amount: "5", currency: "ETH", chain: "evm", chain_id: 1 },
      ...{ description: null, created_by: NAME, created_at: 1 },
    })
    .execute();
  const payout = await db
    .insertInto("payouts")
    .values({
      ...{ ...coin, key: claimKey(packet.id, id), purpose: "claim", recipient: EVM, amount: "5", state: "settled" },
      ...{ round: 0, refusals: 0, due_at: 2, created_at: 2, updated_at: 2, ended_at: 2 },
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await db
    .insertInto("payout_attempts")
    .values({
      ...{ payout_id: payout.id, round: 0, payer: "0x1", nonce: 0, bytes: `0x00${EVM}`, hash: "0x2", fee: "1" },
      ...{ state: "settled", created_at: 2 },
    })
    .execute();
}

/** Returns a stored record without the texts that people wrote. */
function withoutContent(text: string): string {
  if (!text.startsWith("{")) return text;
  return JSON.stringify(JSON.parse(text), (key, value) => (key === "content" ? undefined : value));
}
