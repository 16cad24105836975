import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

export interface ShownProfileTables {
  shown_profiles: ShownProfilesTable;
  display_name_keys: DisplayNameKeysTable;
}

/** The display names and statuses of users. Users who have neither have no row. */
export interface ShownProfilesTable {
  user_id: number;
  display_name: string | null;
  status_emoji: string | null;
  /** null: there is no status. */
  status_text: string | null;
  /** When the status ends; null: never. Readers compare it with the time. */
  status_until: Millis | null;
}

/** The beginnings by which a display name is found: the name from each of its words on, as `findKey` folds it. */
export interface DisplayNameKeysTable {
  user_id: number;
  find_key: string;
}

export const dataClasses: DataClasses = {
  shown_profiles: { erased: { delete: "user_id", keep: "display_name status_emoji status_text status_until" } },
  display_name_keys: { erased: { delete: "user_id", keep: "find_key" } },
};
