import { type AppContext, perServer } from "../../context.ts";

/** What a user has read: a channel, or a thread in it. */
export interface ReadPlace {
  userId: number;
  channelId: number;
  /** null: the channel itself. */
  rootId: number | null;
}

/** Receives each place whose mark has moved, after the commit on this node. A listener must only note it. */
export type ReadListener = (place: ReadPlace) => void;

export const readListeners = perServer((): Set<ReadListener> => new Set());

/** Tells the listeners that a mark has moved. Call it after the commit. */
export function noteRead(ctx: AppContext, place: ReadPlace): void {
  for (const listener of readListeners(ctx)) listener(place);
}
