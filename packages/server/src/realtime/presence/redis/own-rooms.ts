import type { MemoryPresence } from "../presence.memory.ts";
import { CONNECTED, type PresenceEntry } from "../presence.ts";
import type { OwnRooms } from "./outbox.ts";

/** The connected users are in this many rooms, so that they are spread over the servers. */
const PARTS = 64;

/** The room of the connected users to which this one belongs. */
export const connectedRoom = (userId: number): string => `on${userId % PARTS}`;

/** The users and guests that this node holds, by room: its channels, and its connected users in parts. */
export class NodeRooms implements OwnRooms {
  readonly #local: MemoryPresence;
  readonly #connected = new Map<string, Set<number>>();

  constructor(local: MemoryPresence) {
    this.#local = local;
    local.onUserChange((userId, isOnline) => {
      const room = connectedRoom(userId);
      const users = this.#connected.get(room) ?? new Set();
      this.#connected.set(room, users);
      if (isOnline) users.add(userId);
      else if (users.delete(userId) && users.size === 0) this.#connected.delete(room);
    });
  }

  *rooms(): Iterable<string> {
    yield* this.#connected.keys();
    for (const channelId of this.#local.channels()) if (channelId !== CONNECTED) yield String(channelId);
  }

  user(room: string, id: number): PresenceEntry | undefined {
    if (!isConnectedRoom(room)) return this.#local.user(Number(room), id);
    return this.#connected.get(room)?.has(id) === true ? connected(id) : undefined;
  }

  users(room: string): PresenceEntry[] {
    if (isConnectedRoom(room)) return [...(this.#connected.get(room) ?? [])].map(connected);
    return this.#local.page(Number(room), Number.MAX_SAFE_INTEGER, 0);
  }

  guests(room: string): number {
    return isConnectedRoom(room) ? 0 : this.#local.guestCount(Number(room));
  }

  isEmpty(room: string): boolean {
    if (isConnectedRoom(room)) return !this.#connected.has(room);
    return this.#local.count(Number(room)) + this.#local.guestCount(Number(room)) === 0;
  }
}

/** True if the room has connected users and not those of a channel: nobody is shown its list. */
export const isConnectedRoom = (room: string): boolean => room.startsWith("on");

const connected = (id: number): PresenceEntry => ({ kind: "user", id, name: "", honorLevel: 0, since: 0 });
