/** A conversation of exactly two users: one row a pair, so that both opening it at once get the same channel. */
export interface DirectChannelsTable {
  /** The smaller id of the two. */
  low_user_id: number;
  high_user_id: number;
  channel_id: number;
  /** The channel's `last_seq` when that user closed it: out of his list until a later message. null: not closed. */
  low_closed_seq: number | null;
  high_closed_seq: number | null;
}
