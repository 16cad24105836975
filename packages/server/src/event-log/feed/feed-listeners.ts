import { type AppContext, perServer } from "../../context.ts";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";

/** Receives a durable event that this node's feed of the channel passes on. */
export type FeedListener = (channelId: number, message: BrokerMessage) => void;

/** Feed listeners. They run on the path of every message, so a listener must only note what it heard. */
export const feedListeners = perServer((): Set<FeedListener> => new Set());

/**
 * Hears every durable event of every channel that has a feed on this node, whichever node wrote it, for the life of the
 * server.
 *
 * Promises: the events of a channel arrive in order of `seq` and once, before any socket or stream of this node
 * receives them. Events from before the feed was loaded do not arrive: who needs them holds the channel's topic
 * (`ctx.hub.retain`), awaits `channelFeed`, reads the database, and then ignores what it has read by `seq`.
 */
export function onFeedMessage(ctx: AppContext, listener: FeedListener): void {
  feedListeners(ctx).add(listener);
}
