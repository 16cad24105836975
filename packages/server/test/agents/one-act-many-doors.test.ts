import { describe, expect, test } from "bun:test";
import { revokeKey } from "../../src/agents/keys/keys.ts";
import { evmSettings } from "../support/chains/evm.ts";
import { COIN_PRICE, PLATFORM } from "../support/chains/payment-world.ts";
import { untimed } from "../support/clock.ts";
import { type Act, type Acts, type Outcome, openDoors, refusal, restOutcome, stateOf } from "../support/doors.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { say, sayId } from "../support/say.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { Client, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/**
 * One act, many doors (protocol §5, §8, §12): REST, the socket and MCP refuse an act with the same code and the same
 * `retryable`, and a refused act changes nothing. A row is a refusal, a column a door.
 */
const LOOP_LIMIT = 4;
const LATER = "2999-01-01T00:00:00.000Z";
const REACTIONS = [..."😀😃😄😁😆😅😂🙂🙃😉😊😇😍😘😗😚😙😋😛😜"];

type Speaker = Awaited<ReturnType<typeof speaker>>;
async function speaker(on: TestServer, name: string) {
  return Object.assign(await on.agent(name), { name });
}

const payments = { ...evmSettings("http://127.0.0.1:9"), paymentRecipients: [PLATFORM] };
const server = await forAllTests(startTestServer({ agentLoopLimit: LOOP_LIMIT, ...payments }));
const ann = await server.user("ann");
const helper = await speaker(server, "Helper");
const other = await speaker(server, "Other");
const third = await speaker(server, "Third");
const doors = await forAllTests(openDoors(server, helper));

type Room = { id: number; slug: string };
const room = (settings: Record<string, unknown> = {}): Promise<Room> => newChannel(ann, settings);
const speak = (who: Speaker, { slug }: Room, message: string, more: object = {}) =>
  who.post("/api/agenthub/send", { channel_slug: slug, agent_name: who.name, message, ...more });
const PASSWORD = "open sesame!";
const withPassword = () => room({ is_private: true, password: PASSWORD });
const invitationOnly = () => room({ is_private: true });
/** A private channel to which the agent was added. */
async function added(): Promise<Room> {
  const made = await invitationOnly();
  expect((await ann.put(`/api/channels/${made.id}/members/Helper`, {})).status).toBe(200);
  return made;
}
async function banned(): Promise<Room> {
  const made = await room();
  expect((await ann.post(`/api/channels/${made.id}/bans`, { agent_name: "Helper" })).status).toBe(201);
  return made;
}
async function muted(): Promise<Room> {
  const made = await added();
  expect((await ann.put(`/api/channels/${made.id}/members/Helper`, { muted_until: LATER })).status).toBe(200);
  return made;
}
const set = async (settings: Record<string, unknown>, made = room()): Promise<Room> => {
  const here = await made;
  expect((await ann.put(`/api/channels/${here.id}`, settings)).status).toBe(200);
  return here;
};
async function deletedMessage(here: Room): Promise<number> {
  const id = await sayId(ann, here.id, "gone");
  expect((await ann.delete(`/api/messages/${id}`)).status).toBe(200);
  return id;
}
async function talkedOut(): Promise<Room> {
  const made = await room();
  for (const who of [other, third, other, third]) await speak(who, made, "and you?");
  return made;
}

/** How to bring about a refusal. */
interface Row<A extends Act> {
  act: A;
  code: string;
  why: string;
  args(): Promise<Acts[A]>;
}
function row<A extends Act>(act: A, code: string, why: string, args: () => Promise<Acts[A]>): Row<A> {
  return { act, code, why, args };
}

const to = (made: Promise<Room>, more: Partial<Acts["send"]> = {}) =>
  made.then(({ slug }) => ({ slug, message: "hello", ...more }));
const only = (made: Promise<Room>) => made.then(({ slug }) => ({ slug }));
const reactIn = async (made: Promise<Room>, reaction = "like") => {
  return { message_id: await sayId(ann, (await made).id, "react to me"), reaction };
};
const NOWHERE = Promise.resolve({ id: 0, slug: "nowhere" });

const ROWS = [
  row("send", "message_required", "blank text", () => to(room(), { message: " \n" })),
  row("send", "message_too_long", "4,001 characters", () => to(room(), { message: "x".repeat(4_001) })),
  row("send", "channel_not_found", "no such channel", () => to(NOWHERE)),
  row("send", "channel_not_found", "an invitation-only channel", () => to(invitationOnly())),
  row("send", "password_required", "a channel with a password", () => to(withPassword())),
  row("send", "payment_required", "a channel with a price", () => to(room({ price: COIN_PRICE }))),
  row("send", "banned", "a banned agent", () => to(banned())),
  row("send", "muted", "a muted agent", () => to(muted())),
  row("send", "agents_not_allowed", "a channel without agents", () => to(set({ agent_policy: "deny" }))),
  row("send", "agents_not_allowed", "no mention to answer", () => to(set({ agent_policy: "mention_only" }))),
  row("send", "post_policy", "a channel where admins post", () => to(set({ post_policy: "admins" }))),
  row("send", "loop_guard_tripped", "agents among themselves", () => to(talkedOut())),
  row("send", "agent_name_taken", "another agent's name", () => to(room(), { agent_name: "Other" })),
  row("send", "agent_name_taken", "a user's name", () => to(room(), { agent_name: "ann" })),
  row("send", "invalid_agent_name", "a name with an @", () => to(room(), { agent_name: "@@" })),
  row("send", "message_not_found", "a reply to nothing", () => to(room(), { reply_to_id: 999_999 })),
  row("send", "invalid_request", "a reply to text", () => to(room(), { reply_to_id: "last" })),
  row("send", "message_deleted", "a reply to a deleted message", async () => {
    const here = await room();
    return { slug: here.slug, message: "hello", reply_to_id: await deletedMessage(here) };
  }),
  row("send", "slow_mode", "a second message in slow mode", async () => {
    const here = await set({ slow_mode_seconds: 3_600 });
    expect((await speak(helper, here, "first")).status).toBe(201);
    return { slug: here.slug, message: "second" };
  }),
  row("send", "context_stale", "a message in between", async () => {
    const here = await room();
    await say(ann, here.id, "wait");
    return { slug: here.slug, message: "hello", expected_last_seq: 0 };
  }),
  row("send", "idempotency_conflict", "the key of another text", async () => {
    const here = await room();
    await speak(helper, here, "first", { client_msg_id: `key-${here.id}` });
    return { slug: here.slug, message: "second", client_msg_id: `key-${here.id}` };
  }),

  row("join", "channel_not_found", "no such channel", () => only(NOWHERE)),
  row("join", "channel_not_found", "an invitation-only channel", () => only(invitationOnly())),
  row("join", "password_required", "no password", () => only(withPassword())),
  row("join", "wrong_password", "a wrong password", async () => ({
    ...(await only(withPassword())),
    password: "guess",
  })),
  row("join", "payment_required", "a channel with a price", () => only(room({ price: COIN_PRICE }))),
  row("join", "banned", "a banned agent", () => only(banned())),
  row("join", "agents_not_allowed", "a channel without agents", () => only(set({ agent_policy: "deny" }))),
  row("join", "agent_name_taken", "another agent's name, with the right password", async () => {
    return { ...(await only(withPassword())), password: PASSWORD, agent_name: "Other" };
  }),
  row("join", "invalid_agent_name", "a name with an @", async () => ({ ...(await only(room())), agent_name: "@@" })),

  row("leave", "channel_not_found", "no such channel", () => only(NOWHERE)),
  row("leave", "channel_not_found", "an invitation-only channel", () => only(invitationOnly())),
  row("leave", "password_required", "a channel with a password", () => only(withPassword())),

  row("react", "message_not_found", "no such message", async () => ({ message_id: 999_999, reaction: "like" })),
  row("react", "message_not_found", "a message that is hidden", () => reactIn(invitationOnly())),
  row("react", "invalid_reaction", "a word", () => reactIn(room(), "not an emoji")),
  row("react", "invalid_id", "the message 0", async () => ({ message_id: 0, reaction: "like" })),
  row("react", "banned", "a banned agent", () => reactIn(banned())),
  row("react", "muted", "a muted agent", () => reactIn(muted())),
  row("react", "agents_not_allowed", "a channel without agents", () => reactIn(set({ agent_policy: "deny" }))),
  row("react", "agents_not_allowed", "no mention to answer", () => reactIn(set({ agent_policy: "mention_only" }))),
  row("react", "message_deleted", "a deleted message", async () => {
    return { message_id: await deletedMessage(await room()), reaction: "like" };
  }),
  row("react", "reaction_limit_reached", "a 21st kind", async () => {
    const message_id = await sayId(ann, (await room()).id, "react to me");
    for (const each of REACTIONS) await ann.put(`/api/messages/${message_id}/reactions/${encodeURIComponent(each)}`);
    return { message_id, reaction: "like" };
  }),

  row("ack", "invalid_request", "ids that are no list", async () => ({ item_ids: "all" })),
  row("ack", "invalid_request", "the id 0", async () => ({ item_ids: [0] })),

  row("read", "channel_slug_required", "no channel", async () => ({ slug: "" })),
  row("read", "channel_not_found", "no such channel", () => only(NOWHERE)),
  row("read", "channel_not_found", "an invitation-only channel", () => only(invitationOnly())),
  row("read", "password_required", "a channel with a password", () => only(withPassword())),
  row("read", "payment_required", "a channel with a price", () => only(room({ price: COIN_PRICE }))),
  row("read", "invalid_limit", "a limit of 0", async () => ({ ...(await only(room())), limit: 0 })),
  row("read", "invalid_cursor", "a message of no channel", async () => ({ ...(await only(room())), before: 999_999 })),
] as const;

/** The codes of these acts that a retry can pass (protocol §0). */
const RETRYABLE = new Set(["slow_mode", "rate_limited"]);
const DOORS = ["REST", "socket", "MCP"] as const;

type Enter = ((args: unknown) => Promise<Outcome>) | undefined;

describe.each(ROWS)("$act is refused with $code ($why)", ({ act, code, args }) => {
  test("at every door, and nothing changes", async () => {
    const given = await args();
    const before = await stateOf(server.ctx.db);
    const retryable = RETRYABLE.has(code);
    for (const door of DOORS) {
      const enter = doors[door][act] as Enter;
      if (enter === undefined) continue;
      expect([door, await enter(given)]).toEqual([door, { code, retryable, hasRetryAfter: retryable }]);
      expect(await stateOf(server.ctx.db)).toBe(before);
    }
  });
});

test("every door does what it does not refuse", async () => {
  for (const name of DOORS) {
    const { slug, id } = await room();
    const message_id = await sayId(ann, id, "@Helper hi");
    const given: Acts = {
      ...{ join: { slug }, send: { slug, message: "hello" }, react: { message_id, reaction: "like" } },
      ...{ read: { slug }, ack: { item_ids: [999_999] }, leave: { slug } },
    };
    for (const act of ["join", "send", "react", "read", "ack", "leave"] as const) {
      const enter = doors[name][act] as Enter;
      if (enter !== undefined) expect(await enter(given[act])).toMatchObject({ code: null });
    }
  }
});

describe("a rate limit", () => {
  test("counts an agent's messages at all doors together, and refuses at each", async () => {
    await using strict = await startTestServer({ rateFactor: 1 }, { clock: untimed });
    const agent = await speaker(strict, "Hasty");
    await using all = await openDoors(strict, agent);
    const outcomes: (string | null)[] = [];
    for (let round = 0; round < 3; round++) {
      for (const door of DOORS) {
        const refused = await all[door].send?.({ slug: "general", message: `${round} at ${door}` });
        outcomes.push(refused?.code ?? null);
        if (refused?.code !== null) expect(refused).toMatchObject({ retryable: true, hasRetryAfter: true });
      }
    }
    // Five a second in one channel.
    expect(outcomes).toEqual([...Array<null>(5).fill(null), ...Array<string>(4).fill("rate_limited")]);
  });
});

/** The answers of each door to a key. A socket answers `auth:agent`, and an upgrade as REST does. */
async function keyOutcomes(key: string | null): Promise<Record<string, Outcome>> {
  const caller = new Client(server.url, key === null ? {} : { authorization: `Bearer ${key}` });
  await using socket = await LiveSocket.open(server.url);
  const { data } = await socket.ask("auth:agent", { api_key: key ?? "" });
  return {
    REST: restOutcome(await caller.get("/api/agenthub/me")),
    socket: refusal(data),
    MCP: restOutcome(await caller.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" })),
  };
}

describe("a key", () => {
  const refusedAs = (code: string) => {
    const outcome = { code, retryable: false, hasRetryAfter: false };
    return { REST: outcome, socket: outcome, MCP: outcome };
  };

  test("is missing at every door", async () => {
    expect(await keyOutcomes(null)).toEqual(refusedAs("missing_api_key"));
  });

  test("is wrong at every door", async () => {
    expect(await keyOutcomes("ply_wrong")).toEqual(refusedAs("invalid_api_key"));
  });

  test("is revoked at every door", async () => {
    const agent = await speaker(server, "Revoked");
    await revokeKey(server.ctx, agent.keyId);
    expect(await keyOutcomes(agent.apiKey)).toEqual(refusedAs("key_revoked"));
  });

  test("of a paused agent is refused at every door", async () => {
    const agent = await speaker(server, "Paused");
    const admin = await staff(server, "adam", 2);
    expect((await admin.put(`/api/agents/${agent.agentId}`, { paused: true })).status).toBe(200);
    expect(await keyOutcomes(agent.apiKey)).toEqual(refusedAs("agent_paused"));
  });
});
