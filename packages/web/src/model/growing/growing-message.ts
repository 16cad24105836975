import type { ChatMessage } from "@parley/protocol/models";
import type { EphemeralEvent } from "@parley/sdk";

/** A message that an agent is writing, as far as it is. */
export interface GrowingMessage {
  streamId: number;
  /** As the list shows it. Its id is negative, and it has no seq. */
  message: ChatMessage;
  /** The agent's own words for its work. */
  status: string | null;
}

/** An event of a message that is being written. */
export type GrowingEvent = Extract<EphemeralEvent, { event: `stream:${string}` }>;
