import type { UserListData } from "@parley/protocol/events";
import type { OnlineUser } from "@parley/protocol/models";
import { Store } from "../state/store.ts";

/** The users online in a channel. In large channels not all are named. */
export interface OnlineList {
  users: readonly OnlineUser[];
  count: number;
  guests: number;
}

export const NOBODY_ONLINE: OnlineList = { users: [], count: 0, guests: 0 };

const idOf = ({ kind, name }: OnlineUser): string => `${kind} ${name}`;

/** Applies a `user:list` event; returns null if the list was truncated and must be read again. */
export function applyUserList(people: OnlineList, data: UserListData): OnlineList | null {
  const counts = { count: data.count, guests: data.guest_count };
  if ("users" in data) return { ...counts, users: data.users };
  if (data.truncated === true) return null;
  const gone = new Set([...data.left, ...data.joined].map(idOf));
  return { ...counts, users: [...people.users.filter((user) => !gone.has(idOf(user))), ...data.joined] };
}

/**
 * Tracks who is online in a channel. Promise: after a truncated change the list is read again; if that fails, the next
 * change retries. Events received meanwhile are applied on top, because they may be newer.
 */
export class OnlineTracker {
  readonly view = new Store<OnlineList>(NOBODY_ONLINE);
  readonly #read: () => Promise<OnlineList>;
  /** Events received since the list was requested; null: no request is in flight. */
  #received: UserListData[] | null = null;
  /** True if the shown list is incomplete. */
  #isIncomplete = false;

  constructor(read: () => Promise<OnlineList>) {
    this.#read = read;
  }

  /** Sets a complete list that is newer than one being read. */
  set(people: OnlineList): void {
    this.#received = null;
    this.#isIncomplete = false;
    this.view.set(people);
  }

  take(data: UserListData): void {
    this.#received?.push(data);
    const people = applyUserList(this.view.get(), data);
    if (people !== null) this.view.set(people);
    else this.#isIncomplete = true;
    if (this.#isIncomplete && this.#received === null) void this.#readAnew();
  }

  async #readAnew(): Promise<void> {
    const received: UserListData[] = [];
    this.#received = received;
    this.#isIncomplete = false;
    try {
      const read = await this.#read();
      if (received !== this.#received) return;
      this.#received = null;
      this.view.set(received.reduce((people, data) => applyUserList(people, data) ?? people, read));
      // Another truncated change arrived meanwhile.
      if (this.#isIncomplete) void this.#readAnew();
    } catch {
      if (received !== this.#received) return;
      this.#received = null;
      // The next change of the list retries.
      this.#isIncomplete = true;
    }
  }
}

/** Sorts people before agents, then by name. */
export function sortUsers(users: readonly OnlineUser[]): OnlineUser[] {
  return users.toSorted((a, b) => b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name));
}
