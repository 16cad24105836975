import type { ServerEvent, ServerEventBus } from "@modelcontextprotocol/server";
import { MCP_SUBSCRIPTION_SECONDS, MCP_SUBSCRIPTIONS_MAX } from "@parley/protocol/limits";
import { holdOpen } from "../agents/events/open-stream-limits.ts";
import { watchKey } from "../agents/keys/key-cache.ts";
import { recheckKey } from "../agents/keys/keys.ts";
import { readableChannel } from "../channels/access/access.ts";
import { type AppContext, perServer } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { channelFeed } from "../event-log/feed/feed.ts";
import { parseMemberKey } from "../http/identity.ts";
import { assertScope } from "../http/key-scopes.ts";
import { onControl } from "../realtime/control/control.ts";
import { onDoubt } from "../realtime/doubt.ts";
import { channelTopic } from "../realtime/topics.ts";
import type { McpCall } from "./mcp-call.ts";
import { parseUri } from "./resources.ts";

/** The shortest time between two notifications about one channel. */
const PACE_MS = 1_000;

const CHANGES = {
  messages: new Set(["message:new", "message:update", "message:delete"]),
  pins: new Set(["message:pin", "message:unpin", "message:update", "message:delete"]),
};

/** The resources of one channel in a subscription. */
export interface Watched {
  channelId: number;
  /** The subscribed URIs, by what they show. */
  uris: { messages?: string; pins?: string };
}

/** The open subscriptions on this node. */
class OpenSubscriptions {
  readonly #open = new Set<Subscription>();

  constructor(ctx: AppContext) {
    onControl(ctx, "access_ended", ({ channelId, member }) => {
      const removed = parseMemberKey(member);
      if (removed?.kind !== "agent") return;
      for (const subscription of [...this.#open]) if (subscription.isOf(removed.id, channelId)) subscription.end();
    });
  }

  /** Returns what removes it again. @throws too_many_sockets */
  add(subscription: Subscription): () => void {
    const others = [...this.#open].filter(({ agentId }) => agentId === subscription.agentId);
    const resources = others.reduce((sum, { resources }) => sum + resources, subscription.resources);
    if (resources > MCP_SUBSCRIPTIONS_MAX) throw tooMany();
    this.#open.add(subscription);
    return () => void this.#open.delete(subscription);
  }
}

const openSubscriptions = perServer((ctx) => new OpenSubscriptions(ctx));

/**
 * Returns the channels of these URIs, all of which the agent may read.
 * Errors: those of `readableChannel`, `insufficient_scope`, `invalid_request`.
 */
export async function watchedBy({ ctx, caller }: McpCall, uris: readonly string[]): Promise<Watched[]> {
  assertScope(caller, "read");
  if (uris.length > MCP_SUBSCRIPTIONS_MAX) throw tooMany();
  const found = new Map<number, Watched>();
  for (const uri of uris) {
    const name = parseUri(uri);
    if (name === null)
      throw fail("invalid_request", {
        details: [{ path: "resourceSubscriptions", message: `names no resource: ${uri.slice(0, 100)}` }],
      });
    const { id } = await readableChannel(ctx, caller, { slug: name.slug });
    const watched = found.get(id) ?? { channelId: id, uris: {} };
    watched.uris[name.part] = uri;
    found.set(id, watched);
  }
  return [...found.values()];
}

const tooMany = () =>
  fail("too_many_sockets", {
    message: `An agent may be subscribed to ${MCP_SUBSCRIPTIONS_MAX} resources at once.`,
    retryAfter: 1,
  });

/**
 * The changes that one `subscriptions/listen` reports. The library subscribes once, and unsubscribes when the stream
 * ends, whatever ends it. `end` ends the stream: with the key, with the right to read a channel, when the agent is removed
 * from one of its channels, after an hour, and when the server drains.
 */
export class Subscription implements ServerEventBus {
  isOpen = false;
  /** Ends the stream. */
  onEnd: () => void = () => {};
  /** Is called with the number of notifications so far. */
  onTold: (told: number) => void = () => {};
  readonly #call: McpCall;
  readonly #watched: readonly Watched[];
  readonly #stops: (() => void)[] = [];
  /** Resolve once this node receives the events of the channels. */
  readonly #ready: Promise<void>[] = [];
  #listener: ((event: ServerEvent) => void) | null = null;
  #told = 0;
  #hasEnded = false;

  /** @throws too_many_sockets, draining */
  constructor(call: McpCall, watched: readonly Watched[]) {
    this.#call = call;
    this.#watched = watched;
    const { ctx, caller } = call;
    this.#stops.push(openSubscriptions(ctx).add(this));
    try {
      this.#stops.push(holdOpen(ctx, caller.agentId, () => this.end()));
    } catch (error) {
      this.release();
      throw error;
    }
    const life = setTimeout(() => this.end(), MCP_SUBSCRIPTION_SECONDS * 1_000);
    this.#stops.push(
      () => clearTimeout(life),
      watchKey(ctx, caller.keyId, () => this.#check(() => recheckKey(ctx, caller))),
      ...watched.map((each) => this.#follow(each)),
    );
  }

  get agentId(): number {
    return this.#call.caller.agentId;
  }

  /** How many resources are subscribed to. */
  get resources(): number {
    return this.#watched.reduce((sum, { uris }) => sum + Object.keys(uris).length, 0);
  }

  /** Resolves once no later change of the channels is missed. Await it before the client learns that it is subscribed. */
  async ready(): Promise<void> {
    await Promise.all(this.#ready);
  }

  isOf(agentId: number, channelId: number): boolean {
    return agentId === this.agentId && this.#watched.some((watched) => watched.channelId === channelId);
  }

  /** Nothing is published here: each subscription has its own bus. */
  publish(): void {}

  subscribe(listener: (event: ServerEvent) => void): () => void {
    this.isOpen = true;
    this.#listener = listener;
    // What should have ended the stream before it began ends it now.
    if (this.#hasEnded) queueMicrotask(() => this.onEnd());
    // The key was checked before this stream watched it.
    void this.#check(() => recheckKey(this.#call.ctx, this.#call.caller));
    return () => this.release();
  }

  end(): void {
    this.#hasEnded = true;
    this.onEnd();
  }

  /** Frees everything; safe to repeat. */
  release(): void {
    this.#listener = null;
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** Tells of changes of one channel, at most once a second for each resource. */
  #follow({ channelId, uris }: Watched): () => void {
    const { ctx, caller } = this.#call;
    const due = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | null = null;
    let nextAt = 0;
    const note = (part: "messages" | "pins") => {
      const uri = uris[part];
      if (uri === undefined) return;
      due.add(uri);
      timer ??= setTimeout(tell, Math.max(0, nextAt - ctx.clock.monotonic()));
    };
    const tell = () =>
      this.#check(async () => {
        await readableChannel(ctx, caller, { id: channelId });
        timer = null;
        nextAt = ctx.clock.monotonic() + PACE_MS;
        for (const uri of due) this.#tell(uri);
        due.clear();
      });
    const topic = channelTopic(channelId);
    const listening = ctx.hub.listen(topic, (messages) => {
      for (const { event } of messages) {
        if (CHANGES.messages.has(event)) note("messages");
        if (CHANGES.pins.has(event)) note("pins");
      }
    });
    // A feed that is still being loaded passes on nothing that was written before it looked.
    this.#ready.push(listening.ready.then(async () => void (await channelFeed(ctx, channelId))));
    const undoubt = onDoubt(ctx, (lost) => {
      if (lost !== null && lost !== topic) return;
      note("messages");
      note("pins");
    });
    return () => {
      listening();
      undoubt();
      if (timer !== null) clearTimeout(timer);
    };
  }

  #tell(uri: string): void {
    this.#listener?.({ kind: "resource_updated", uri });
    this.onTold(++this.#told);
  }

  /** Ends the stream if the check fails: the client asks again and learns why. */
  async #check(check: () => Promise<unknown>): Promise<void> {
    try {
      await check();
    } catch (err) {
      if (!(err instanceof AppError)) this.#call.ctx.log.warn({ err }, "a subscription of MCP failed");
      this.end();
    }
  }
}
