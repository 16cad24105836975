import type { CreatePacketBody } from "@parley/protocol/red-packets";
import { putBan } from "../../../src/channels/bans/bans.store.ts";
import { findChannel } from "../../../src/channels/channel-cache.ts";
import { openDirect } from "../../../src/channels/direct/direct.service.ts";
import { insertAgent, insertMember, muteAgent, updateMember } from "../../../src/channels/members/members.store.ts";
import { createChannel, deleteChannel } from "../../../src/channels/settings/settings.service.ts";
import type { Config } from "../../../src/config/config.ts";
import type { AppContext } from "../../../src/context.ts";
import { transact } from "../../../src/db/transact.ts";
import type { AgentIdentity, UserIdentity } from "../../../src/http/identity.ts";
import { postMessage } from "../../../src/messages/append/post-message.ts";
import { addPaid } from "../../../src/payments/offers/paid.service.ts";
import { splitTerms } from "../../../src/red-packets/create/create.service.ts";
import { leastShare, packetAsset } from "../../../src/red-packets/create/packet-assets.ts";
import { makePacket } from "../../../src/red-packets/create/packet-making.ts";
import { cancelPacket } from "../../../src/red-packets/packets.service.ts";
import { ClaimWorld } from "../browser/claim-walk.ts";
import { ETH } from "../chains/scripted-chain.ts";
import type { TestServer } from "../servers/test-server.ts";
import { isOutside } from "./expected.ts";
import { People, tell } from "./people.ts";
import type { Place, Role } from "./roles.ts";

const HOUR_MS = 3_600_000;
const SETTINGS = {
  rateLimits: "off",
  agentLoopLimit: 0,
  claimStrict: true,
  initialPoints: 1_000_000,
  agentsPerUser: 1_000,
} as const;
/** Text in private channels and the names of hidden channels. Outsiders must never see it. */
const CLOSED = "behind-closed-doors";
const BETWEEN_TWO = "between-these-two";
const PAID_FOR = "only-for-money";
/** The price of the priced channel and of other resources for sale. */
export const PRICE = { amount: "1000", currency: ETH.currency, chain_id: 31_337 };
const SAID: Partial<Record<Place, string>> = {
  priced: `said ${PAID_FOR}`,
  locked: `said ${CLOSED}`,
  hidden: `said ${CLOSED}`,
  direct: `said ${BETWEEN_TWO}`,
};

/** A channel with a member in each role and a message by the author. */
export interface Stage {
  channel_id: number;
  channel_slug: string;
  message_id: number;
  /** A red packet in it; only for deleted and absent channels. */
  packet_id?: number;
}

export const ABSENT: Stage = {
  channel_id: 999_999_999,
  channel_slug: "no-such-channel",
  message_id: 999_999_999,
  packet_id: 999_999_999,
};

/** The callers of the rights table, each in their role in channels of every kind. */
export class RightsWorld extends People {
  readonly #stages = new Map<Place, Stage>();

  static async make(start?: (config?: Partial<Config>) => Promise<TestServer>): Promise<RightsWorld> {
    const world = new RightsWorld(await ClaimWorld.start(SETTINGS, {}, start));
    await world.fill();
    return world;
  }

  /** Creates every kind of closed channel with a message that outsiders must not find. */
  async hide(): Promise<void> {
    for (const place of Object.keys(SAID)) await this.stage(place as Place);
  }

  /** Returns the channel of this kind. It stays the same until it is spent. */
  async stage(place: Place): Promise<Stage> {
    if (place === "absent") return ABSENT;
    const found = this.#stages.get(place) ?? (await this.#makeStage(place));
    this.#stages.set(place, found);
    return found;
  }

  /** Discards the channel after an act changed it, so that the next trial gets a new one. */
  async spend(place: Place): Promise<void> {
    const stage = this.#stages.get(place);
    if (stage === undefined || place === "deleted") return;
    this.#stages.delete(place);
    // Deletes it, because users can own only a limited number of channels.
    const { ctx } = this;
    await ctx.db.updateTable("channels").set({ deleted_at: 1 }).where("id", "=", stage.channel_id).execute();
    await tell(ctx, "channel_changed", stage.channel_id);
  }

  async #makeStage(place: Place): Promise<Stage> {
    const { ctx } = this;
    const { id, channel_slug } = await (place === "direct" ? this.#conversation() : this.#channel(place));
    const message_id = await this.say(id, this.author, SAID[place]);
    const stage = { channel_id: id, channel_slug, message_id };
    if (place !== "deleted") return stage;
    const packet_id = await this.packet(id, this.author);
    await cancelPacket(ctx, this.author, packet_id);
    await deleteChannel(ctx, this.user("owner"), { id });
    return { ...stage, packet_id };
  }

  async #conversation(): Promise<{ id: number; channel_slug: string }> {
    const { username } = await this.extra();
    return (await openDirect(this.ctx, this.author, username)).channel;
  }

  async #channel(place: Place): Promise<{ id: number; channel_slug: string }> {
    const is_private = place === "locked" || place === "hidden";
    const channel = await createChannel(this.ctx, this.user("owner"), {
      name: this.name(place === "hidden" ? CLOSED : place),
      is_private,
    });
    await transact(this.ctx, (ctx) => this.#place(ctx, channel.id));
    const lock = this.ctx.db
      .updateTable("channels")
      .set({ password_hash: this.passwordHash })
      .where("id", "=", channel.id);
    if (place === "locked") await lock.execute();
    const sell = this.ctx.db
      .updateTable("channels")
      .set({ price: JSON.stringify(PRICE) })
      .where("id", "=", channel.id);
    if (place === "priced") await sell.execute();
    await tell(this.ctx, "channel_changed", channel.id);
    return channel;
  }

  async #place(ctx: AppContext, channelId: number): Promise<void> {
    const joinedAt = ctx.clock.now();
    const until = joinedAt + HOUR_MS;
    for (const role of ["member", "muted", "admin"] as const) {
      const { userId } = this.user(role);
      await insertMember(ctx.db, { channelId, userId, role: role === "admin" ? role : "member", joinedAt });
      if (role === "muted") await updateMember(ctx.db, channelId, userId, { muted_until: until });
    }
    await insertMember(ctx.db, { channelId, userId: this.author.userId, role: "member", joinedAt });
    for (const role of ["added agent", "muted agent"] as const) {
      const { agentId } = this.agent(role);
      await insertAgent(ctx.db, { channelId, agentId, addedBy: null, joinedAt });
      if (role === "muted agent") await muteAgent(ctx.db, channelId, agentId, until);
    }
    const ban = { channel_id: channelId, banned_by: "owner", reason: null, until: null, created_at: joinedAt };
    const [user_id, agent_id] = [this.user("banned").userId, this.agent("banned agent").agentId];
    await putBan(ctx.db, { ...ban, member_key: `u${user_id}`, user_id, agent_id: null });
    await putBan(ctx.db, { ...ban, member_key: `a${agent_id}`, user_id: null, agent_id });
  }

  /** Sends a message to the channel as the caller, even if they have lost the right to. */
  async say(channelId: number, caller: UserIdentity | AgentIdentity, content = "said before"): Promise<number> {
    const channel = await findChannel(this.ctx, { id: channelId });
    if (channel === null) throw new Error(`There is no channel ${channelId}.`);
    return (await postMessage(this.ctx, { caller, channel, content })).id;
  }

  /** Asks a question in a channel as an agent, whoever may post there. Returns its id. */
  async ask(channelId: number, agentId: number): Promise<number> {
    const channel = await findChannel(this.ctx, { id: channelId });
    if (channel === null) throw new Error(`There is no channel ${channelId}.`);
    const caller: AgentIdentity = { kind: "agent", agentId, keyId: "", key: `a${agentId}` };
    const button = { type: "button" as const, action_id: "ok", label: "OK" };
    const card = {
      components: [{ type: "row" as const, elements: [button] }],
      interaction: { kind: "open" as const, who: { roles: ["member" as const], min_admin_level: 1 } },
    };
    return (await postMessage(this.ctx, { caller, channel, content: "All right?", card })).id;
  }

  /** Returns whether the response reveals hidden text to the caller. */
  isLeak(role: Role, text: string): boolean {
    return [[CLOSED, "hidden"] as const, [PAID_FOR, "priced"] as const, [BETWEEN_TWO, "direct"] as const].some(
      ([secret, place]) => text.includes(secret) && isOutside(role, place),
    );
  }

  /** Puts a resource up for sale. */
  async offer(): Promise<string> {
    const what = { slug: this.name("offer"), price: PRICE, description: null, mediaType: "text/plain" };
    return (await addPaid(this.ctx, this.author, { ...what, content: Buffer.from(PAID_FOR) })).slug;
  }

  /** Creates a red packet of points in the channel as the user, even if they have lost the right to. */
  async packet(channelId: number, caller: UserIdentity): Promise<number> {
    const channel = await findChannel(this.ctx, { id: channelId });
    if (channel === null) throw new Error(`There is no channel ${channelId}.`);
    const body: CreatePacketBody = { total_amount: "10", count: 10 };
    const asset = packetAsset(this.ctx, body);
    const terms = splitTerms(body, await leastShare(this.ctx, asset, "u1"));
    const packet = { caller, channel, body, asset, terms, clientKey: null, clientHash: null };
    const made = await transact(this.ctx, (ctx) => makePacket(ctx, packet));
    if (made === null) throw new Error("The red packet was not created.");
    return made.id;
  }
}
