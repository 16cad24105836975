import type { AppContext } from "../context.ts";
import { findUserByName } from "./accounts.store.ts";

/** An account as a command needs it that was given its name. */
export interface NamedAccount {
  id: number;
  username: string;
  adminLevel: number | null;
}

/** Returns the account of a name; null if there is none, or if it is deleted or not shown yet. */
export async function accountNamed({ db }: Pick<AppContext, "db">, username: string): Promise<NamedAccount | null> {
  const user = await findUserByName(db, username);
  if (user === null) return null;
  return { id: user.id, username: user.username, adminLevel: user.admin_level };
}
