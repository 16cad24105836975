import { hook } from "../../hook.ts";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";

/**
 * Receives every durable event of every channel that has a feed on this node, whichever node wrote it. Listeners run on
 * the path of every message, so a listener must only note what it heard.
 *
 * Promises: the events of a channel arrive in order of `seq` and once, before any socket or stream of this node
 * receives them. Events from before the feed was loaded do not arrive: who needs them holds the channel's topic
 * (`ctx.hub.retain`), awaits `channelFeed`, reads the database, and then ignores what it has read by `seq`.
 */
export const onFeedMessage = hook<(channelId: number, message: BrokerMessage) => void>();
