import { updateUser } from "../../../src/accounts/profiles/profiles.service.ts";
import { startSession } from "../../../src/accounts/sessions/sessions.ts";
import { challengeWallet } from "../../../src/accounts/wallets/wallets.service.ts";
import { replaceKeys } from "../../../src/agents/keys/key-lifecycle.ts";
import { issueKey } from "../../../src/agents/keys/keys.ts";
import { createChannel, deleteChannel } from "../../../src/channels/settings/settings.service.ts";
import { transact } from "../../../src/db/transact.ts";
import { uploadFile } from "../../../src/files/upload/upload.service.ts";
import type { UserIdentity } from "../../../src/http/identity.ts";
import { subscribePush } from "../../../src/notifications/push/subscriptions.service.ts";
import { reportMessage } from "../../../src/reports/reports.service.ts";
import { uploadSticker } from "../../../src/stickers/stickers.service.ts";
import { CLAIM, claimCookieOf } from "../browser/claim-walk.ts";
import { evmWallet } from "../chains/wallets.ts";
import { stillGif } from "../gifs.ts";
import { pushKeys } from "../push-keys.ts";
import { type Handles, nothing, type ObjectKind } from "./objects.ts";
import { type AgentRole, isAgent, isUser, type Target } from "./roles.ts";
import { ABSENT, type RightsWorld } from "./world.ts";

const NEVER = 999_999_999;
export const WHOSE: readonly Target[] = [{ of: "own" }, { of: "another's" }, { of: "absent" }];

export const user: ObjectKind = {
  targets: WHOSE,
  notFound: "user_not_found",
  async get(world, { of }, role) {
    if (of === "own") return isUser(role) ? { username: world.user(role).username } : null;
    return { username: of === "absent" ? "nobody-at-all" : (await world.extra()).username };
  },
};

/** The invite code of a user. */
export const invitation: ObjectKind = {
  ...nothing,
  async get(world) {
    const users = world.ctx.db.selectFrom("users").select("invite_code").where("id", "=", world.author.userId);
    return { code: (await users.executeTakeFirstOrThrow()).invite_code };
  },
};

/** Creates a user with an avatar. */
export const pictured: ObjectKind = {
  ...user,
  async get(world, { of }, role) {
    if (of !== "own" && of !== "another's") return user.get(world, { of }, role);
    if (of === "own" && !isUser(role)) return null;
    const self = of === "own" ? world.user(role) : await world.extra();
    await updateUser(world.ctx, self, self.username, { avatar: Buffer.from(stillGif()).toString("base64") });
    return { username: self.username };
  },
};

/** Creates a user. `a superior's`: a user with the highest level. */
export const rankedUser: ObjectKind = {
  ...user,
  targets: [...WHOSE, { of: "a superior's" }],
  async get(world, target, role) {
    return target.of === "a superior's" ? { username: (await world.extra(3)).username } : user.get(world, target, role);
  },
};

export const sessions: ObjectKind = {
  targets: WHOSE,
  notFound: "session_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { session_id: NEVER };
    if (of === "own" && !isUser(role)) return null;
    const { userId } = of === "own" ? world.user(role) : world.author;
    const { identity } = await startSession(world.ctx, userId, { address: "127.0.0.1", userAgent: null });
    return { session_id: identity.sessionId };
  },
};

export const pushSubscription: ObjectKind = {
  targets: WHOSE,
  notFound: "subscription_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { subscription_id: NEVER };
    if (of === "own" && !isUser(role)) return null;
    const owner = of === "own" ? world.user(role) : world.author;
    const { identity } = await startSession(world.ctx, owner.userId, { address: "127.0.0.1", userAgent: null });
    const body = { endpoint: `https://8.8.8.8/${world.name("browser")}`, keys: pushKeys() };
    return { subscription_id: (await subscribePush(world.ctx, identity, body)).subscription_id };
  },
};

export const sticker: ObjectKind = {
  targets: WHOSE,
  notFound: "sticker_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { sticker_id: NEVER };
    if (of === "own" && !isUser(role)) return null;
    // Creates a new owner for another's sticker, because users can own only a limited number.
    const maker = of === "own" ? world.user(role) : await world.extra();
    const file = { bytes: stillGif(1, 1, world.name("gif")), name: "a.gif" };
    return { sticker_id: (await uploadSticker(world.ctx, maker, file, undefined)).sticker.sticker_id };
  },
};

/** A picture that was not sent. */
export const unsentFile: ObjectKind = {
  targets: WHOSE,
  notFound: "file_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { file_id: NEVER };
    if (of === "own" && !isUser(role)) return null;
    const { userId, username } = of === "own" ? world.user(role) : await world.extra();
    const caller = { kind: "user", userId, username, key: `u${userId}` } as UserIdentity;
    const body = new FormData();
    body.set("file", new Blob([stillGif(1, 1, world.name("gif"))]), "a.gif");
    const request = new Request("http://parley.test/api/files", { method: "POST", body });
    const { json } = await uploadFile(world.ctx, caller, { request, address: "127.0.0.1" });
    return { file_id: JSON.parse(json).file.file_id };
  },
};

/**
 * Creates an agent with a key. `label's`: the agent names the caller as its owner, but the caller has not confirmed
 * that.
 */
export const agent: ObjectKind = {
  targets: [{ of: "own" }, { of: "label's" }, { of: "another's" }, { of: "absent" }],
  notFound: "agent_not_found",
  async get(world, { of }, role) {
    if (of === "absent") return { agent_id: NEVER, key_id: "000000000000" };
    if (of !== "another's" && !isUser(role)) return of === "own" && isAgent(role) ? ownKey(world, role) : null;
    const owner = of === "another's" ? world.author : world.user(role);
    const agentName = world.name("agent");
    const { agent_id, key_id } = await issueKey(world.ctx, { ownerUsername: owner.username, agentName });
    const change = world.ctx.db.updateTable("agents").set({ owner_verified: 0 });
    if (of === "label's") await change.where("id", "=", agent_id).execute();
    return { agent_id, key_id, agent_name: agentName };
  },
};

/** An agent to talk with. Not for callers that are agents. */
export const namedAgent: ObjectKind = {
  ...agent,
  get: async (world, target, role) => {
    if (target.of === "absent") return { agent_name: "nobody-of-this-name" };
    return isAgent(role) ? null : agent.get(world, target, role);
  },
};

/** Issues another key for the calling agent. */
async function ownKey(world: RightsWorld, role: AgentRole): Promise<Handles> {
  const { agentId } = world.agent(role);
  const later = world.ctx.clock.now() + 86_400_000;
  const { key_id } = await transact(world.ctx, (ctx) => replaceKeys(ctx, agentId, later));
  return { agent_id: agentId, key_id };
}

export const key: ObjectKind = { ...agent, notFound: "key_not_found" };

/** Creates a wallet challenge and its signature. */
export const signature: ObjectKind = {
  ...user,
  async get(world, target, role) {
    const handles = await user.get(world, target, role);
    if (handles === null || !isUser(role)) return handles && { ...handles, challenge_id: NEVER, signature: "0x00" };
    const { chain, address, sign } = evmWallet();
    const self = world.user(role);
    const asked = { chain, address, origin: world.server.url };
    const { challenge_id, message_to_sign } = await challengeWallet(world.ctx, self, self.username, asked);
    return { ...handles, challenge_id, signature: await sign(message_to_sign) };
  },
};

export const payout: ObjectKind = {
  targets: [{ of: "settled" }, { of: "absent" }],
  notFound: "payout_not_found",
  async get(world, { of }) {
    if (of === "absent") return { payout_id: NEVER };
    const at = world.ctx.clock.now();
    const what = { key: world.name("refund"), purpose: "refund", chain: "evm", chain_id: 1, currency: "ETH" } as const;
    const how = { state: "settled", round: 0, refusals: 0, due_at: at, created_at: at, updated_at: at } as const;
    const where = { token_address: null, ledger_currency: "evm:1:ETH", recipient: "0x", amount: "1", ended_at: at };
    const rest = { hold: null, payer: null, nonce: null, hash: null, fee_paid: null, day: null };
    const row = world.ctx.db.insertInto("payouts").values({ ...what, ...how, ...where, ...rest });
    return { payout_id: (await row.returning("id").executeTakeFirstOrThrow()).id };
  },
};

/** Puts a resource up for sale. */
export const offer: ObjectKind = {
  targets: [{ of: "offered" }, { of: "absent" }],
  notFound: "resource_not_found",
  async get(world, { of }) {
    const slug = of === "absent" ? "no-such-offer" : await world.offer();
    return { slug, resource_slug: slug };
  },
};

export const report: ObjectKind = {
  targets: [{ of: "another's" }, { of: "absent" }],
  notFound: "report_not_found",
  async get(world, { of }) {
    if (of === "absent") return { report_id: NEVER };
    const { message_id } = await world.stage("public");
    return { report_id: (await reportMessage(world.ctx, await world.extra(), message_id, "spam")).reportId };
  },
};

export const deletedChannel: ObjectKind = {
  targets: [{ of: "deleted" }, { of: "standing" }, { of: "absent" }],
  notFound: "channel_not_found",
  async get(world, { of }) {
    if (of === "absent") return { channel_id: ABSENT.channel_id };
    const owner = await world.extra();
    const { id } = await createChannel(world.ctx, owner, { name: world.name("gone") });
    if (of === "deleted") await deleteChannel(world.ctx, owner, { id });
    return { channel_id: id };
  },
};

/** Fetches a verification code and writes a post with it in this account. `another's`: omits the cookie of the code. */
async function newCode(world: RightsWorld, of: string | undefined, account: string, query = ""): Promise<Handles> {
  const given = await world.server.guest.get(`${CLAIM}/verification-code${query}`);
  const verification_code: string = of === "absent" ? "ZZZZ-ZZZZ" : given.body.verification_code;
  const tweet_url = world.posts.write({
    network: "bluesky",
    handle: `${account}.example.com`,
    text: given.body.post_template,
  });
  return { verification_code, tweet_url, ...(of === "another's" ? {} : { cookie: claimCookieOf(given) }) };
}

export const code: ObjectKind = {
  targets: WHOSE,
  notFound: "verification_code_not_found",
  get: (world, { of }) => newCode(world, of, world.name("account")),
};

/** Claims a key with a new account, then fetches a code to recover it and writes a post with that code. */
export const claimedCode: ObjectKind = {
  ...code,
  async get(world, { of }) {
    const account = world.name("account");
    const { cookie, ...first } = await newCode(world, "own", account);
    const headers = { cookie: String(cookie) };
    const { body } = await world.server.guest.post(`${CLAIM}/verify-tweet`, first, { headers });
    return newCode(world, of, account, `?purpose=recover&agent_id=${body.agent_id}`);
  },
};

/** Returns the name of an asset of the web client. */
export const asset: ObjectKind = {
  ...nothing,
  async get(world) {
    const { body } = await world.server.guest.get("/");
    const { file = "" } = /\/assets\/(?<file>[^"]+)/.exec(body)?.groups ?? {};
    return { file };
  },
};
