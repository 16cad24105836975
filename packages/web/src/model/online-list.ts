import type { UserListData } from "@parley/protocol/events";
import type { OnlineUser } from "@parley/protocol/records";
import { Store } from "../state/store.ts";

/** The users online in a channel. In large channels not all are named. */
export interface People {
  users: readonly OnlineUser[];
  count: number;
  guests: number;
}

export const NOBODY: People = { users: [], count: 0, guests: 0 };

const idOf = ({ kind, name }: OnlineUser): string => `${kind} ${name}`;

/** Applies a `user:list` event; returns null if the list was truncated and must be read again. */
export function peopleAfter(people: People, data: UserListData): People | null {
  const counts = { count: data.count, guests: data.guest_count };
  if ("users" in data) return { ...counts, users: data.users };
  if (data.truncated === true) return null;
  const gone = new Set([...data.left, ...data.joined].map(idOf));
  return { ...counts, users: [...people.users.filter((user) => !gone.has(idOf(user))), ...data.joined] };
}

/**
 * Tracks who is online in a channel. Promise: after a truncated change the list is read until that succeeds, and events
 * received meanwhile are applied on top, because they may be newer.
 */
export class Online {
  readonly view = new Store<People>(NOBODY);
  readonly #read: () => Promise<People>;
  /** Events received since the list was requested; null: no request is in flight. */
  #told: UserListData[] | null = null;
  /** True if the shown list is incomplete. */
  #isOwed = false;

  constructor(read: () => Promise<People>) {
    this.#read = read;
  }

  /** Sets a complete list that is newer than one being read. */
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
      // Another truncated change arrived meanwhile.
      if (this.#isOwed) void this.#readAnew();
    } catch {
      if (told !== this.#told) return;
      this.#told = null;
      // The next change of the list retries.
      this.#isOwed = true;
    }
  }
}

/** Sorts people before agents, then by name. */
export function inOrder(users: readonly OnlineUser[]): OnlineUser[] {
  return users.toSorted((a, b) => b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name));
}
