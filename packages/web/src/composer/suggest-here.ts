import type { Channel } from "@parley/protocol/models";
import type { OnlineList } from "../model/online-list.ts";
import type { Suggestion } from "./completion.ts";

/** The name by which a user calls everybody who is online (protocol §5). */
const HERE = "here";

/**
 * Returns the choice to call everybody who is online, if the query begins it and the user may do so here. The server
 * decides in the end.
 */
export function matchHere(
  query: string,
  { is_direct, here_by, my_role }: Pick<Channel, "is_direct" | "here_by" | "my_role">,
  { users, count }: OnlineList,
  self: string | null,
): Suggestion[] {
  const mayCall = !is_direct && (here_by !== "admins" || my_role !== "member");
  if (!mayCall || !HERE.startsWith(query.toLowerCase())) return [];
  const others = users.filter(({ kind, name }) => kind === "user" && name !== self).length;
  // In large channels not all are named.
  return [{ kind: "here", name: HERE, count: others + Math.max(0, count - users.length) }];
}
