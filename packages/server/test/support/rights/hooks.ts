import { createHash } from "node:crypto";
import * as of from "./belongings.ts";
import type { ObjectKind } from "./objects.ts";
import * as on from "./objects.ts";
import { body, changes, json, query, type Recipe, reads } from "./recipe.ts";
import type { RightsWorld } from "./world.ts";

const NEVER = 999_999_999;
const SECRET = "secret";
/** Passes when it is named, without a name to resolve. */
const URL = "https://8.8.8.8/hook";
/** Blocked when it is called, so that no test calls anybody. */
const NOWHERE = "https://127.0.0.1:8443/";

async function hookOf(
  world: RightsWorld,
  owner: { channel_id?: number; agent_id?: number },
): Promise<Record<"webhook_id" | "delivery_id", number>> {
  const { db, clock } = world.ctx;
  const row = {
    channel_id: owner.channel_id ?? null,
    agent_id: owner.agent_id ?? null,
    url: NOWHERE,
    events: "[]",
    secret: "whsec_AAAA",
    status: "active" as const,
    position: NEVER,
    created_by_user: world.author.userId,
    created_at: clock.now(),
  };
  const { id: webhook_id } = await db.insertInto("webhooks").values(row).returning("id").executeTakeFirstOrThrow();
  const sent = { webhook_id, round: 0, event: "message.new", source: 1, status: "dead" as const };
  const times = { due_at: clock.now(), created_at: clock.now(), done_at: clock.now() };
  const made = db.insertInto("webhook_deliveries").values({ ...sent, ...times });
  const { id: delivery_id } = await made.returning("id").executeTakeFirstOrThrow();
  return { webhook_id, delivery_id };
}

/** A webhook of a channel. */
const ofChannel: ObjectKind = {
  ...on.channel,
  notFound: "webhook_not_found",
  async get(world, { place = "absent" }) {
    if (place === "absent") return { webhook_id: NEVER, delivery_id: NEVER };
    const { channel_id } = await world.stage(place);
    return { channel_id, ...(await hookOf(world, { channel_id })) };
  },
};

/** A webhook of an agent. */
const ofAgent: ObjectKind = {
  ...of.agent,
  targets: of.agent.targets.filter(({ of }) => of !== "absent"),
  async get(world, target, role) {
    const agent = await of.agent.get(world, target, role);
    return agent === null ? null : { ...agent, ...(await hookOf(world, { agent_id: Number(agent.agent_id) })) };
  },
};

/** The acts of a route that names one webhook. */
const acts = (sent?: unknown): Recipe[] => {
  const say = () => (sent === undefined ? {} : { body: sent });
  return [reads("manage channel webhooks", ofChannel, say), reads("manage agent webhooks", ofAgent, say)];
};

async function incomingOf(world: RightsWorld, channel_id: number): Promise<number> {
  const row = {
    channel_id,
    name: "Alerts",
    secret_hash: createHash("sha256").update(SECRET).digest("hex"),
    enabled: 1 as const,
    allow_mentions: 0 as const,
    created_by_user: null,
    created_by: null,
    created_at: world.ctx.clock.now(),
  };
  const made = world.ctx.db.insertInto("incoming_webhooks").values(row).returning("id");
  return (await made.executeTakeFirstOrThrow()).id;
}

/** An incoming webhook of a channel. */
const incoming: ObjectKind = {
  ...on.channel,
  async get(world, { place = "absent" }) {
    const stage = await world.stage(place);
    if (place === "absent") return { ...stage, incoming_webhook_id: NEVER };
    return { ...stage, incoming_webhook_id: await incomingOf(world, stage.channel_id) };
  },
};

/** The address of an incoming webhook. */
const address: ObjectKind = {
  ...on.nothing,
  async get(world) {
    const { channel_id } = await world.stage("public");
    return { hook: `${await incomingOf(world, channel_id)}_${SECRET}` };
  },
};

/** Recipes for the routes of webhooks. */
export const ROUTES: Readonly<Record<string, readonly Recipe[]>> = {
  "POST /api/webhooks": [
    changes("manage channel webhooks", on.channel, body(["channel_id"], { url: URL, events: ["message.unpin"] })),
    reads("manage agent webhooks", of.agent, body(["agent_id"], { url: URL, events: ["budget.exhausted"] })),
  ],
  "GET /api/webhooks": [
    reads("manage channel webhooks", on.channel, query("channel_id")),
    reads("manage agent webhooks", of.agent, query("agent_id")),
  ],
  "GET /api/webhooks/:webhook_id": acts(),
  "PUT /api/webhooks/:webhook_id": acts({ description: "x" }),
  "DELETE /api/webhooks/:webhook_id": acts(),
  "POST /api/webhooks/:webhook_id/rotate-secret": acts(),
  "POST /api/webhooks/:webhook_id/test": acts(),
  "GET /api/webhooks/:webhook_id/deliveries": acts(),
  "POST /api/webhooks/:webhook_id/deliveries/:delivery_id/redeliver": acts(),
  "POST /api/webhooks/:webhook_id/replay": [reads("manage channel webhooks", ofChannel, json({ after_seq: 0 }))],
  "GET /api/channels/:channel_id/incoming-webhooks": [reads("manage incoming webhooks", on.channel)],
  "POST /api/channels/:channel_id/incoming-webhooks": [
    changes("manage incoming webhooks", on.channel, json({ name: "Alerts" })),
  ],
  "PUT /api/channels/:channel_id/incoming-webhooks/:incoming_webhook_id": [
    reads("manage incoming webhooks", incoming, json({ enabled: true })),
  ],
  "DELETE /api/channels/:channel_id/incoming-webhooks/:incoming_webhook_id": [
    reads("manage incoming webhooks", incoming),
  ],
  "POST /api/channels/:channel_id/incoming-webhooks/:incoming_webhook_id/rotate": [
    reads("manage incoming webhooks", incoming),
  ],
  "POST /api/hooks/:hook": [reads("post by webhook", address, json({ message: "hello" }))],
};
