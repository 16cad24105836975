import type { ChatMessage } from "@parley/protocol/models";
import { Store } from "../state/store.ts";

/** The message that the user is replying to or editing in a channel. Lives as long as the channel is visible. */
export class ComposeState {
  /** The message the next message replies to. */
  readonly replyTo = new Store<ChatMessage | null>(null);
  /** The id of the message being edited. */
  readonly editing = new Store<number | null>(null);
  /** True if the edit began in the composer, which then receives the focus back. */
  isEditedFromComposer = false;
  /** The id of the message that is shown as it was written. */
  readonly source = new Store<number | null>(null);
  /** Text to insert into the composer, such as a name. */
  readonly insert = new Store<{ text: string } | null>(null);

  edit(messageId: number, isFromComposer: boolean): void {
    this.isEditedFromComposer = isFromComposer;
    this.editing.set(messageId);
  }
}
