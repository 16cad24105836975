import type { ChatMessage } from "@parley/protocol/models";
import type { Place } from "./history-pages.ts";

/** The part of a channel that its conversation shows. */
export interface ChannelView {
  state: "loading" | "ready" | "failed";
  messages: readonly ChatMessage[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** Messages after this seq are marked as new; null: none are. */
  newAfterSeq: number | null;
  /** Where to scroll; each new object triggers scrolling once. */
  place: Place;
}

export const NOTHING_LOADED: ChannelView = {
  state: "loading",
  messages: [],
  hasOlder: false,
  hasNewer: false,
  newAfterSeq: null,
  place: { messageId: null },
};
