import type { AppContext } from "../../context.ts";
import { hook } from "../../hook.ts";

/** What a user has read: a channel, or a thread in it. */
export interface ReadPlace {
  userId: number;
  channelId: number;
  /** null: the channel itself. */
  rootId: number | null;
}

/** Receives each place whose mark has moved, after the commit on this node. A listener must only note it. */
export const onRead = hook<(place: ReadPlace) => void>();

/** Tells the listeners that a mark has moved. Call it after the commit. */
export function noteRead(ctx: AppContext, place: ReadPlace): void {
  for (const listener of onRead.of(ctx)) listener(place);
}
