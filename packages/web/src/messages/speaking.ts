import type { ChatMessage } from "@parley/protocol/records";
import { Store } from "../app/store.ts";

/** What one is about to do with messages of a channel: answer one, change one. Lives as long as the channel is in sight. */
export class Speaking {
  /** The message one's next words answer. */
  readonly replyTo = new Store<ChatMessage | null>(null);
  /** The message that is being changed, by id. */
  readonly editing = new Store<number | null>(null);
  /** Text to be put where one writes, such as a name. */
  readonly insert = new Store<{ text: string } | null>(null);
}
