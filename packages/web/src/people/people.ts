import type { UserListData } from "@parley/protocol/events";
import type { OnlineUser } from "@parley/protocol/records";

/** Who is online in a channel. Of many, not all are named. */
export interface People {
  users: readonly OnlineUser[];
  count: number;
  guests: number;
}

export const NOBODY: People = { users: [], count: 0, guests: 0 };

const idOf = ({ kind, name }: OnlineUser): string => `${kind} ${name}`;

/** After a `user:list`; null: too much has changed, read the list anew. */
export function peopleAfter(people: People, data: UserListData): People | null {
  const counts = { count: data.count, guests: data.guest_count };
  if ("users" in data) return { ...counts, users: data.users };
  if (data.truncated === true) return null;
  const gone = new Set([...data.left, ...data.joined].map(idOf));
  return { ...counts, users: [...people.users.filter((user) => !gone.has(idOf(user))), ...data.joined] };
}

/** As they are listed: people, then agents, by name. */
export function inOrder(users: readonly OnlineUser[]): OnlineUser[] {
  return users.toSorted((a, b) => b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name));
}
