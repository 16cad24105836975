/** A follower's cursor in a channel; no row: at the channel's beginning. */
export interface ChannelCursorsTable {
  /** The follower's name, such as `search`. */
  purpose: string;
  channel_id: number;
  /** Every durable event up to this number is processed. */
  seq: number;
}
