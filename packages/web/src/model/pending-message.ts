import type { FileRecord } from "@parley/protocol/files";
import type { Sticker } from "@parley/protocol/models";
import type { ParleyError } from "@parley/sdk";

/** A message the user wants to send. */
export interface Draft {
  content: string;
  replyToId: number | null;
  /** The message whose thread it answers in; null: none. */
  threadRootId: number | null;
  /** The channel shows the reply, too. */
  alsoInChannel: boolean;
  /** It disappears so many seconds after it was sent; null: it stays. */
  expiresIn: number | null;
  /** Its links get previews. */
  linkPreviews: boolean;
  sticker: Sticker | null;
  files: readonly FileRecord[];
}

/** The user's own message that is not in the channel yet. `error`: why it was refused. */
export interface PendingMessage extends Draft {
  key: string;
  /** When the user sent it, epoch ms. */
  at: number;
  error: ParleyError | null;
}
