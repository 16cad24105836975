/** How far a follower of messages has come in a channel; no row: at its beginning. */
export interface ChannelCursorsTable {
  /** The follower's name, such as `search`. */
  purpose: string;
  channel_id: number;
  /** Every durable number up to this one is handled. */
  seq: number;
}
