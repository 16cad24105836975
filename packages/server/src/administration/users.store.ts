import { nameKey } from "../accounts/names/names.ts";
import type { Db } from "../db/db.ts";

export interface AdminUserRow {
  id: number;
  username: string;
  email: string | null;
  admin_level: number | null;
  suspended_until: number | null;
  created_at: number;
}

const COLUMNS = ["id", "username", "email", "admin_level", "suspended_until", "created_at"] as const;

export interface UserFilter {
  prefix?: string | undefined;
  suspended?: boolean | undefined;
  admin?: boolean | undefined;
}

/** Sorts after every name with the same prefix. */
const LAST = "\u{10ffff}";

/** Lists users ordered by name; a prefix becomes an index range. */
export function listUsers(
  db: Db,
  { prefix, suspended, admin }: UserFilter,
  now: number,
  page: { limit: number; offset: number },
): Promise<AdminUserRow[]> {
  let query = db.selectFrom("users").select(COLUMNS).where("erased_at", "is", null);
  if (prefix !== undefined && prefix !== "") {
    const key = nameKey(prefix);
    query = query.where("username_key", ">=", key).where("username_key", "<", `${key}${LAST}`);
  }
  if (suspended === true) query = query.where("suspended_until", ">", now);
  if (suspended === false) {
    query = query.where((user) => user.or([user("suspended_until", "is", null), user("suspended_until", "<=", now)]));
  }
  if (admin !== undefined) query = query.where("admin_level", admin ? "is not" : "is", null);
  return query.orderBy("username_key").limit(page.limit).offset(page.offset).execute();
}
