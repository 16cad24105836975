import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** The table of the slice `digests`. */
export interface DigestTables {
  digests: DigestsTable;
}

/** One row for each user who has missed something since they get digests. */
export interface DigestsTable {
  user_id: number;
  /** It ends the digests of this user, and nothing else. Each of the mails has it, so it is stored as it is. */
  token: string;
  /** 0: nothing was missed since the last digest. */
  pending: Flag;
  /** When the oldest notification was made that no digest has listed. */
  since: Millis;
  due_at: Millis;
  /** When the last one was handed over to the mails. */
  sent_at: Millis | null;
}

export const dataClasses: DataClasses = {
  digests: { erased: { delete: "user_id", keep: "token pending since due_at sent_at" } },
};
