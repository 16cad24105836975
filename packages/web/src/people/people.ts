import type { UserListData } from "@parley/protocol/events";
import type { OnlineUser } from "@parley/protocol/records";
import { Store } from "../app/store.ts";

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

/**
 * Follows who is online in a channel.
 *
 * Promise: after too much has changed at once the list is read until that succeeds, with what is told meanwhile on top: it may be newer.
 */
export class Online {
  readonly view = new Store<People>(NOBODY);
  readonly #read: () => Promise<People>;
  /** What was told since the list was asked for; null: it is not asked for. */
  #told: UserListData[] | null = null;
  /** Is what is shown not the whole of it? */
  #isOwed = false;

  constructor(read: () => Promise<People>) {
    this.#read = read;
  }

  /** Another list, whole and newer than one that is being read. */
  set(people: People): void {
    this.#told = null;
    this.#isOwed = false;
    this.view.set(people);
  }

  take(data: UserListData): void {
    this.#told?.push(data);
    const people = peopleAfter(this.view.get(), data);
    if (people !== null) this.view.set(people);
    else this.#isOwed = true;
    if (this.#isOwed && this.#told === null) void this.#readAnew();
  }

  async #readAnew(): Promise<void> {
    const told: UserListData[] = [];
    this.#told = told;
    this.#isOwed = false;
    try {
      const read = await this.#read();
      if (told !== this.#told) return;
      this.#told = null;
      this.view.set(told.reduce((people, data) => peopleAfter(people, data) ?? people, read));
      // Too much has changed once more meanwhile.
      if (this.#isOwed) void this.#readAnew();
    } catch {
      if (told !== this.#told) return;
      this.#told = null;
      // The next change of the list asks again.
      this.#isOwed = true;
    }
  }
}

/** As they are listed: people, then agents, by name. */
export function inOrder(users: readonly OnlineUser[]): OnlineUser[] {
  return users.toSorted((a, b) => b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name));
}
