import { PINS_PER_CHANNEL } from "@parley/protocol/limits";
import type { Stage, StagedMessage } from "../stage.ts";
import type { Directory } from "./directory.ts";
import { PlaceSet } from "./place-set.ts";
import { rootTime } from "./root-time.ts";
import { Roots } from "./roots.ts";

/** A message that the source does not have although there are replies to it. */
export interface AbsentRoot {
  id: string;
  channelId: string;
  at: number;
}

/** What is written at a place besides one message. */
interface Extra {
  /** Written before the message. */
  roots: AbsentRoot[];
  /** Messages into which the text or the files of this one are split, at least 1. */
  parts: number;
  /** Replies that are older than this message, their root: they follow it. */
  replies: { place: number }[];
  /** The ids of these replies. */
  replyIds: number;
}

/** Returns into how many messages a message is split. */
export type PartsOf = (message: StagedMessage) => number;

/** Absent roots at most: replies to further ones are in the channel itself. They are kept in memory. */
const ABSENT_MAX = 200_000;
const PAGE = 1_000;

/**
 * Where each message goes: it gives every message of the stage its id before anything is written, so that replies know their
 * roots. It keeps only what differs from one message for each place, and is the same when it is made again.
 */
export class Plan {
  readonly roots: Roots;
  readonly #extras = new Map<number, Extra>();
  /** Replies that follow their roots, with the root's place and how many ids of other replies are between them. */
  readonly #moved = new Map<number, { root: number; before: number }>();
  readonly #absent = new Map<string, number>();
  /** Places whose message is empty, but has replies. */
  readonly #kept: PlaceSet;
  readonly #pins = new Map<string, number[]>();
  #places: number[] = [];
  /** The ids taken by the extras of all places before. */
  #sums: number[] = [];
  readonly #stage: Stage;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.roots = new Roots(stage);
    this.#kept = new PlaceSet(stage.size);
  }

  /** Reads the whole stage once. */
  static async make(stage: Stage, directory: Directory, partsOf: PartsOf): Promise<Plan> {
    const plan = new Plan(stage);
    for (let after = 0; ; await new Promise(setImmediate)) {
      const page = stage.messagesAfter(after, PAGE);
      for (const message of page) if (directory.channels.has(message.channelId)) plan.#see(message, partsOf);
      after = page.at(-1)?.place ?? after;
      if (page.length === 0) break;
    }
    plan.#finish();
    return plan;
  }

  #see(message: StagedMessage, partsOf: PartsOf): void {
    const { place, channelId } = message;
    const root = this.roots.of(message);
    const parts = partsOf(message);
    if (message.isPinned) this.#pin(channelId, place);
    if (root !== null && root.channelId === channelId) {
      if (root.place === null) this.#seeAbsent(root.id, message);
      else {
        this.#kept.add(root.place);
        if (root.place > place) {
          const extra = this.#extra(root.place);
          this.#moved.set(place, { root: root.place, before: extra.replyIds });
          extra.replies.push({ place });
          extra.replyIds += parts;
          return;
        }
      }
    }
    if (parts > 1) this.#extra(place).parts = parts;
  }

  #pin(channelId: string, place: number): void {
    const pins = this.#pins.get(channelId) ?? [];
    pins.push(place);
    if (pins.length > PINS_PER_CHANNEL) pins.shift();
    this.#pins.set(channelId, pins);
  }

  #seeAbsent(id: string, reply: StagedMessage): void {
    if (this.#absent.has(id) || this.#absent.size >= ABSENT_MAX) return;
    const at = Math.min(rootTime(id) ?? reply.at, reply.at);
    const place = at === reply.at ? reply.place : this.#firstAfter(at, reply.place);
    this.#absent.set(id, place);
    this.#extra(place).roots.push({ id, channelId: reply.channelId, at });
  }

  /** Returns the first place, up to `end`, whose message is younger than that. */
  #firstAfter(at: number, end: number): number {
    let [low, high] = [1, end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [found] = this.#stage.messagesAfter(middle - 1, 1);
      if (found === undefined || found.at > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #extra(place: number): Extra {
    const known = this.#extras.get(place);
    if (known !== undefined) return known;
    const made: Extra = { roots: [], parts: 1, replies: [], replyIds: 0 };
    this.#extras.set(place, made);
    return made;
  }

  #finish(): void {
    this.#places = [...this.#extras.keys()].sort((one, other) => one - other);
    let sum = 0;
    this.#sums = this.#places.map((place) => {
      const before = sum;
      sum += sizeOf(this.#extras.get(place)) - 1;
      const extra = this.#extras.get(place);
      extra?.roots.sort((one, other) => one.at - other.at);
      return before;
    });
    this.#size = this.#stage.size + sum;
  }

  #size = 0;

  /** How many ids the messages of the stage need. */
  get size(): number {
    return this.#size;
  }

  /** Returns what is written at a place besides one message; null for nearly all. */
  at(place: number): Extra | null {
    return this.#extras.get(place) ?? null;
  }

  /** True if the message is written elsewhere, behind its root. */
  isMoved(place: number): boolean {
    return this.#moved.has(place);
  }

  /** True if a message keeps its place even if it is empty: it has replies. */
  hasReplies(place: number): boolean {
    return this.#kept.has(place);
  }

  isPinned(channelId: string, place: number): boolean {
    return this.#pins.get(channelId)?.includes(place) ?? false;
  }

  /** Returns how many ids come before those of a place. */
  start(place: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    const last = this.#places[low - 1];
    const before = last === undefined ? 0 : (this.#sums[low - 1] ?? 0) + sizeOf(this.#extras.get(last)) - 1;
    return place - 1 + before;
  }

  /** Returns how many ids come before that of the message of a place. */
  offsetOf(place: number): number {
    const moved = this.#moved.get(place);
    if (moved === undefined) return this.start(place) + (this.at(place)?.roots.length ?? 0);
    const { root, before } = moved;
    return this.offsetOf(root) + (this.at(root)?.parts ?? 1) + before;
  }

  /** Returns a message that the source does not have; null if it has no place. */
  absentRoot(id: string): AbsentRoot | null {
    const place = this.#absent.get(id);
    return (place === undefined ? null : this.at(place)?.roots.find((root) => root.id === id)) ?? null;
  }

  /** Returns how many ids come before that of an absent root; null if it has no message. */
  offsetOfAbsent(id: string): number | null {
    const place = this.#absent.get(id);
    if (place === undefined) return null;
    return this.start(place) + (this.at(place)?.roots.findIndex((root) => root.id === id) ?? 0);
  }
}

const sizeOf = (extra: Extra | undefined): number =>
  extra === undefined ? 1 : extra.roots.length + extra.parts + extra.replyIds;
