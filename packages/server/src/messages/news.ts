import { perServer } from "../context.ts";

/** Hears of each channel in which this node has committed something, once a batch. */
export type NewsListener = (channelId: number) => void;

/** Who wants to know of commits. On the send path: a listener does no more than remember the channel. */
export const newsListeners = perServer((): Set<NewsListener> => new Set());
