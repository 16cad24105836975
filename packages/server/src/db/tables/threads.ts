import type { DataClasses } from "./data-classes.ts";
/** Whether a user follows a thread, and how far they have read it. No row: they have nothing to do with it. */
export interface ThreadFollowsTable {
  user_id: number;
  /** The message that began the thread. */
  root_id: number;
  channel_id: number;
  /** 0: the user no longer wants to follow it; only a reply of their own changes that. */
  is_following: number;
  /** Later replies of others are unread. */
  last_read_seq: number;
}

export const dataClasses: DataClasses = {
  thread_follows: {
    erased: { delete: "user_id", keep: "root_id channel_id is_following last_read_seq" },
    purged: "delete",
  },
};
