import { perServer } from "../context.ts";

/** Receives each channel in which this node has committed something, once per batch. */
export type NewsListener = (channelId: number) => void;

/** Commit listeners. They run on the send path, so a listener must only record the channel. */
export const newsListeners = perServer((): Set<NewsListener> => new Set());
