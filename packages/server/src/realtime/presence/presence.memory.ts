import { type Scheduler, systemScheduler } from "../../base/scheduler.ts";
import { EntriesInOrder } from "./entries-in-order.ts";
import {
  CONNECTED,
  keyOf,
  type Presence,
  type PresenceChange,
  type PresenceCounts,
  type PresenceEntry,
} from "./presence.ts";

type Kind = PresenceEntry["kind"];

/** One listed actor: its number of holders, and the grace timer that runs at zero. */
interface Held {
  entry: PresenceEntry;
  holders: number;
  endGrace: (() => void) | null;
}

const NONE: readonly PresenceEntry[] = [];

interface Room {
  readonly held: EntriesInOrder<Held>;
  /** The keys of each agent in `held`: one for each of its names. */
  readonly agents: Map<number, Set<string>>;
  guests: number;
}

/** The presence of a lone server. Agents are persisted by their slice and entered again at start-up. */
export class MemoryPresence implements Presence {
  readonly #rooms = new Map<number, Room>();
  /** The number of channels (and connections) in which a user is listed. */
  readonly #users = new Map<number, number>();
  readonly #handlers: ((channelId: number, change: PresenceChange) => void)[] = [];
  readonly #userHandlers: ((userId: number, isOnline: boolean) => void)[] = [];
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler = systemScheduler) {
    this.#scheduler = scheduler;
  }

  enter(channelId: number, entry: PresenceEntry): void {
    const room = this.#room(channelId);
    const key = keyOf(entry.kind, entry.id, entry.name);
    const held = room.held.get(key);
    if (held !== undefined) {
      held.endGrace?.();
      held.endGrace = null;
      held.holders += 1;
      this.refresh(channelId, entry);
      return;
    }
    room.held.add(key, { entry, holders: 1, endGrace: null });
    if (entry.kind === "user") this.#countUserUp(entry.id);
    else room.agents.set(entry.id, (room.agents.get(entry.id) ?? new Set()).add(key));
    this.#changed(channelId, { joined: [entry] });
  }

  refresh(channelId: number, { kind, id, name, honorLevel }: PresenceEntry): void {
    const held = this.#rooms.get(channelId)?.held.get(keyOf(kind, id, name));
    if (held === undefined || held.entry.honorLevel === honorLevel) return;
    held.entry = { ...held.entry, honorLevel };
    this.#changed(channelId, { updated: [held.entry] });
  }

  leave(channelId: number, kind: Kind, id: number, name: string, graceMs: number): void {
    const key = keyOf(kind, id, name);
    const held = this.#rooms.get(channelId)?.held.get(key);
    if (held === undefined || held.holders === 0) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    if (graceMs <= 0) this.#drop(channelId, key);
    else held.endGrace = this.#scheduler.after(graceMs, () => this.#drop(channelId, key));
  }

  remove(channelId: number, kind: Kind, id: number, name?: string): void {
    if (name !== undefined || kind === "user") {
      this.#drop(channelId, keyOf(kind, id, name ?? ""));
      return;
    }
    for (const key of [...(this.#rooms.get(channelId)?.agents.get(id) ?? [])]) this.#drop(channelId, key);
  }

  enterGuest(channelId: number): void {
    this.#room(channelId).guests += 1;
  }

  leaveGuest(channelId: number): void {
    const room = this.#rooms.get(channelId);
    if (room === undefined || room.guests === 0) return;
    room.guests -= 1;
    this.#forget(channelId, room);
  }

  hold(): void {}

  release(): void {}

  stopping(): void {}

  list(channelId: number, limit: number): PresenceEntry[] {
    return this.page(channelId, limit, 0);
  }

  page(channelId: number, limit: number, offset: number): PresenceEntry[] {
    const held = this.#rooms.get(channelId)?.held.page(limit, offset) ?? [];
    return held.map(({ entry }) => entry);
  }

  count(channelId: number): number {
    return this.#rooms.get(channelId)?.held.size ?? 0;
  }

  guestCount(channelId: number): number {
    return this.#rooms.get(channelId)?.guests ?? 0;
  }

  counts(channelIds: readonly number[]): PresenceCounts[] {
    return channelIds.map((id) => ({ count: this.count(id), guests: this.guestCount(id) }));
  }

  has(channelId: number, kind: Kind, id: number): boolean {
    const room = this.#rooms.get(channelId);
    if (room === undefined) return false;
    return kind === "user" ? room.held.has(keyOf(kind, id, "")) : room.agents.has(id);
  }

  /** Returns a user's entry. */
  user(channelId: number, id: number): PresenceEntry | undefined {
    return this.#rooms.get(channelId)?.held.get(keyOf("user", id, ""))?.entry;
  }

  /** The channels with entries or guests, `CONNECTED` included. */
  channels(): Iterable<number> {
    return this.#rooms.keys();
  }

  /** The users that are online. */
  users(): Iterable<number> {
    return this.#users.keys();
  }

  isUserOnline(userId: number): boolean {
    return this.#users.has(userId);
  }

  onChange(handler: (channelId: number, change: PresenceChange) => void): void {
    this.#handlers.push(handler);
  }

  onUserChange(handler: (userId: number, isOnline: boolean) => void): void {
    this.#userHandlers.push(handler);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#handlers.length = 0;
    this.#userHandlers.length = 0;
    for (const room of this.#rooms.values()) for (const held of room.held.values()) held.endGrace?.();
    this.#rooms.clear();
    this.#users.clear();
  }

  #drop(channelId: number, key: string): void {
    const room = this.#rooms.get(channelId);
    const held = room?.held.get(key);
    if (room === undefined || held === undefined) return;
    held.endGrace?.();
    room.held.delete(key);
    if (held.entry.kind === "user") this.#countUserDown(held.entry.id);
    else dropAgentKey(room, held.entry.id, key);
    this.#forget(channelId, room);
    this.#changed(channelId, { left: [held.entry] });
  }

  #countUserUp(userId: number): void {
    const before = this.#users.get(userId) ?? 0;
    this.#users.set(userId, before + 1);
    if (before === 0) for (const handler of this.#userHandlers) handler(userId, true);
  }

  #countUserDown(userId: number): void {
    const left = (this.#users.get(userId) ?? 0) - 1;
    if (left > 0) this.#users.set(userId, left);
    else if (this.#users.delete(userId)) for (const handler of this.#userHandlers) handler(userId, false);
  }

  #room(channelId: number): Room {
    const found = this.#rooms.get(channelId);
    if (found !== undefined) return found;
    const room: Room = { held: new EntriesInOrder(), agents: new Map(), guests: 0 };
    this.#rooms.set(channelId, room);
    return room;
  }

  #forget(channelId: number, room: Room): void {
    if (room.held.size === 0 && room.guests === 0) this.#rooms.delete(channelId);
  }

  #changed(channelId: number, part: Partial<PresenceChange>): void {
    if (channelId === CONNECTED) return;
    const change = { joined: NONE, left: NONE, updated: NONE, isPartial: false, ...part };
    for (const handler of this.#handlers) handler(channelId, change);
  }
}

function dropAgentKey({ agents }: Room, agentId: number, key: string): void {
  const keys = agents.get(agentId);
  keys?.delete(key);
  if (keys?.size === 0) agents.delete(agentId);
}
