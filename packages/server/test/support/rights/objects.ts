import type { ErrorCode } from "@parley/protocol/errors";
import { searchConsumer } from "../../../src/search/index/message-index.ts";
import { PASSWORD_OF_ALL, tell } from "./people.ts";
import { isUser, type Place, type Role, type Target } from "./roles.ts";
import type { RightsWorld } from "./world.ts";

/** The fields that name an object in paths, queries and bodies. */
export type Handles = Readonly<Record<string, string | number>>;

/** A kind of object that acts are tried on. */
export interface ObjectKind {
  targets: readonly Target[];
  /** The response for an object that is missing or hidden. */
  notFound: ErrorCode;
  /** Returns an object to try the act on. Returns null if this caller cannot have one. */
  get(world: RightsWorld, target: Target, role: Role): Promise<Handles | null>;
}

const at = (place: Place, of?: string): Target => (of === undefined ? { place } : { place, of });
const CHANNELS: readonly Place[] = ["public", "priced", "locked", "hidden"];
const PLACES: readonly Place[] = [...CHANNELS, "direct", "deleted", "absent"];

/** For acts without an object, or on the caller only. */
export const nothing: ObjectKind = { targets: [{}], notFound: "not_found", get: async () => ({}) };

/** The key of a new agent. */
export const apiKey: ObjectKind = {
  ...nothing,
  get: async (world) => ({ api_key: (await world.server.agent()).apiKey }),
};

/** For searches: makes all messages sent so far searchable. */
export const whatWasSaid: ObjectKind = {
  ...nothing,
  async get(world) {
    await searchConsumer(world.ctx).flush();
    return {};
  },
};

export const channel: ObjectKind = {
  targets: PLACES.map((place) => at(place)),
  notFound: "channel_not_found",
  get: async (world, { place = "absent" }) => ({ ...(await world.stage(place)) }),
};

/** The channels a socket can listen to without joining. */
export const unpricedChannel: ObjectKind = {
  ...channel,
  targets: channel.targets.filter(({ place }) => place !== "priced"),
};

/** A channel to join. */
export const door: ObjectKind = {
  ...channel,
  targets: [...PLACES.map((place) => at(place, "without a password")), at("locked", "with its password")],
  async get(world, { place = "absent", of = "" }) {
    const stage = await world.stage(place);
    return of === "with its password" ? { ...stage, password: PASSWORD_OF_ALL } : { ...stage };
  },
};

/** A closed channel that a socket has to join. Only for callers who can become members. */
export const closedDoor: ObjectKind = {
  ...door,
  targets: [at("locked", "with its password"), at("priced", "without a password")],
  get: async (world, target, role) => (isUser(role) ? door.get(world, target, role) : null),
};

export const message: ObjectKind = {
  targets: [...PLACES.map((place) => at(place, "another's")), ...CHANNELS.map((place) => at(place, "own"))],
  notFound: "message_not_found",
  async get(world, { place = "absent", of }, role) {
    const stage = await world.stage(place);
    const { identity } = world.person(role);
    if (of !== "own") return { ...stage, messageId: stage.message_id };
    if (identity === null) return null;
    const id = await world.say(stage.channel_id, identity);
    return { ...stage, message_id: id, messageId: id };
  },
};

/** A message to pin, in a channel where admins or members may pin. */
export const pinnable: ObjectKind = {
  ...message,
  targets: [
    ...PLACES.map((place) => at(place, "where admins pin")),
    ...CHANNELS.map((place) => at(place, "where members pin")),
  ],
  async get(world, { place = "absent", of }) {
    const stage = await world.stage(place);
    if (of === "where members pin") {
      const { ctx } = world;
      await ctx.db.updateTable("channels").set({ pin_policy: "members" }).where("id", "=", stage.channel_id).execute();
      await tell(ctx, "channel_changed", stage.channel_id);
    }
    return { ...stage, messageId: stage.message_id };
  },
};

export const pinned: ObjectKind = {
  ...pinnable,
  async get(world, target, role) {
    const handles = await pinnable.get(world, target, role);
    const pin = world.ctx.db.updateTable("messages").set({ pinned_at: 1, pinned_by: "owner" });
    await pin.where("id", "=", Number(handles?.message_id)).execute();
    return handles;
  },
};

export const packet: ObjectKind = {
  targets: message.targets,
  notFound: "packet_not_found",
  async get(world, { place = "absent", of }, role) {
    const stage = await world.stage(place);
    if (stage.packet_id !== undefined) return { ...stage, packet_id: stage.packet_id };
    if (of !== "own") return { ...stage, packet_id: await world.packet(stage.channel_id, world.author) };
    return isUser(role) ? { ...stage, packet_id: await world.packet(stage.channel_id, world.user(role)) } : null;
  },
};

/** An open question that every member and the site's staff may answer. */
export const card: ObjectKind = {
  targets: PLACES.map((place) => at(place)),
  notFound: "interaction_not_found",
  async get(world, { place = "absent" }) {
    const stage = await world.stage(place);
    const isGone = place === "absent" || place === "deleted";
    const id = isGone ? stage.message_id : await world.ask(stage.channel_id, (await world.server.agent()).agentId);
    return { ...stage, interaction_id: id };
  },
};

/** A question of an agent. */
export const ownCard: ObjectKind = {
  targets: [{ of: "own" }, { of: "another's" }],
  notFound: "interaction_not_found",
  async get(world, { of }, role) {
    const { identity } = world.person(role);
    if (of === "own" && identity?.kind !== "agent") return null;
    const agentId =
      of === "own" && identity?.kind === "agent" ? identity.agentId : (await world.server.agent()).agentId;
    return { interaction_id: await world.ask((await world.stage("public")).channel_id, agentId) };
  },
};

/** A stream that another agent writes. */
export const stream: ObjectKind = {
  targets: channel.targets,
  notFound: "stream_not_found",
  async get(world, { place = "absent" }) {
    const { channel_id } = await world.stage(place);
    const { agentId } = await world.server.agent();
    const row = {
      agent_id: agentId,
      key_id: "none",
      channel_id,
      agent_name: "Writer",
      client_msg_id: world.name(),
      also_in_channel: 0,
      state: "finished",
      content: "",
      length: 0,
      created_at: 0,
      appended_at: 0,
    } as const;
    const made = await world.ctx.db.insertInto("streams").values(row).returning("id").executeTakeFirstOrThrow();
    return { channel_id, stream_id: made.id };
  },
};

/** The same, to write to it: streams.test.ts tries an agent's own. */
export const othersStream: ObjectKind = { ...stream, targets: [at("public", "another's"), at("absent", "absent")] };
