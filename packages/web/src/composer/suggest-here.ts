import type { Channel } from "@parley/protocol/models";
import type { OnlineList } from "../model/online-list.ts";
import type { Suggestion } from "./completion.ts";

/** The name by which a user calls everybody who is online (protocol §5). */
const HERE = "here";

/**
 * Returns the choice to call everybody who is online, if the query begins it and the user may do so here. `level`: their
 * site level. The server decides in the end.
 */
export function matchHere(
  query: string,
  { is_direct, here_by, my_role }: Pick<Channel, "is_direct" | "here_by" | "my_role">,
  { users, count }: OnlineList,
  { self, level }: { self: string | null; level: number },
): Suggestion[] {
  const isAdmin = my_role === "owner" || my_role === "admin" || level >= 1;
  if (is_direct || (here_by === "admins" && !isAdmin) || !HERE.startsWith(query.toLowerCase())) return [];
  const others = users.filter(({ kind, name }) => kind === "user" && name !== self).length;
  // In large channels not all are named.
  return [{ kind: "here", name: HERE, count: others + Math.max(0, count - users.length) }];
}
