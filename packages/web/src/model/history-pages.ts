import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import { ParleyError } from "@parley/sdk";
import { RETRY_MS } from "../state/retry.ts";
import type { Timeline } from "./timeline.ts";

/** Where to scroll: to a message, to the first unread one, or to the end. */
export interface Place {
  messageId: number | null;
  unread?: Unread;
  /** How far below the top of the list the message stays: the user was reading there, so it is not highlighted. */
  top?: number;
}

/** A message in view, and how far it is below the top of the list. */
export type InView = { messageId: number; top: number };

/** The unread messages: how many, and after which seq. */
export interface Unread {
  afterSeq: number;
  count: number;
}

type Change = { state?: "loading" | "ready" | "failed" | "gone"; place?: Place };

/** The server has no such place, and never will. */
const GONE: ReadonlySet<string> = new Set(["message_not_found", "not_a_thread_root"]);

/** Messages of a page. Fewer unread ones are sought in the newest page. */
export const PAGE = 50;
/** A replica may lag behind the events: a page is requested up to this many times, with this pause between. */
const TRIES = 6;
const AGAIN_MS = 150;

/**
 * Fetches a channel's history into its timeline: the end, around a message, older, newer. At most one fetch of each
 * kind runs at a time.
 */
export class HistoryPages {
  readonly #timeline: Timeline;
  readonly #fetch: (query: HistoryQuery) => Promise<HistoryResponse>;
  readonly #show: (change: Change) => void;
  /** Returns where the user is reading; null: at the end. */
  readonly #inView: () => InView | null;
  /** Counts openings; a result fetched for an earlier one is discarded. */
  #run = 0;
  #isOpen = false;
  /** The place that is being opened; opening it again does nothing. */
  #opening: Place | null = null;
  /** Repeats the fetch that failed; null: none failed. */
  #pendingRetry: (() => void) | null = null;
  #isOlderDue = false;
  #isNewerDue = false;
  /** The `last_seq` of the loaded page, as long as no events have arrived; null: nothing is loaded. */
  #knownSeq: number | null = null;

  constructor(
    timeline: Timeline,
    fetch: (query: HistoryQuery) => Promise<HistoryResponse>,
    show: (change: Change) => void,
    inView: () => InView | null = () => null,
  ) {
    this.#timeline = timeline;
    this.#fetch = fetch;
    this.#show = show;
    this.#inView = inView;
  }

  /** Shows a message, the first unread one, or the end; null shows what was shown before, or the end. */
  open(at: number | Unread | "end" | null): void {
    this.#isOpen = true;
    const place = placeOf(at);
    if (this.#knownSeq !== null && (at === null || this.#has(place))) this.#show({ state: "ready", place });
    else if (this.#opening === null || !isSame(this.#opening, place)) void this.#open(place);
  }

  /** Repeats the failed fetch; called when the server is reachable again. */
  retry(): void {
    const pending = this.#pendingRetry;
    this.#pendingRetry = null;
    pending?.();
  }

  /** Starts applying events after this seq. If the loaded page ends at another seq, events may be missing: refetches and returns true. */
  onReady(seq: number): boolean {
    this.#timeline.begin(seq);
    const isBehind = this.#isOpen && this.#knownSeq !== null && this.#knownSeq !== seq;
    if (isBehind) this.#again();
    return isBehind;
  }

  /** Refetches the messages, because changes to them were missed. */
  onGap(): void {
    if (this.#isOpen) this.#again();
    else this.#drop();
  }

  /** Drops the messages; called when the channel is no longer viewed. */
  close(): void {
    this.#isOpen = false;
    this.#drop();
  }

  /** Drops all messages, and fetches again if the channel is open. */
  forget(): void {
    this.#drop();
    if (this.#isOpen) void this.#open(placeOf("end"));
  }

  async older(): Promise<void> {
    const oldest = this.#timeline.messages[0];
    if (this.#isOlderDue || !this.#timeline.hasOlder || oldest === undefined) return;
    this.#isOlderDue = true;
    const again = () => void this.older();
    await this.#place({ before: oldest.id }, again, (page) => {
      // If the oldest message has been trimmed since the request, the page would leave a gap.
      return this.#timeline.messages[0]?.id !== oldest.id || this.#timeline.prepend(page, page.has_more);
    });
    this.#isOlderDue = false;
  }

  async newer(): Promise<void> {
    const newest = this.#timeline.messages.at(-1);
    if (this.#isNewerDue || !this.#timeline.hasNewer || newest === undefined) return;
    this.#isNewerDue = true;
    const again = () => void this.newer();
    await this.#place({ after_seq: newest.seq }, again, (page) => {
      return this.#timeline.messages.at(-1)?.id !== newest.id || this.#timeline.append(page, page.has_more);
    });
    this.#isNewerDue = false;
  }

  /** True if the place is among the loaded messages. */
  #has({ messageId, unread }: Place): boolean {
    const { messages, hasOlder, hasNewer } = this.#timeline;
    if (messageId !== null) return this.#timeline.find(messageId) !== undefined;
    if (unread === undefined) return !hasNewer;
    const first = messages[0]?.seq ?? Number.POSITIVE_INFINITY;
    return (!hasOlder || first <= unread.afterSeq) && (!hasNewer || (messages.at(-1)?.seq ?? 0) > unread.afterSeq);
  }

  #drop(): void {
    this.#run += 1;
    this.#opening = null;
    this.#pendingRetry = null;
    this.#knownSeq = null;
    this.#timeline.clear();
  }

  /** Fetches again what is being opened or read. */
  #again(): void {
    const { messages, hasNewer } = this.#timeline;
    const middle = hasNewer ? messages[Math.floor(messages.length / 2)] : undefined;
    void this.#open(this.#opening ?? this.#inView() ?? { messageId: middle?.id ?? null });
  }

  async #open(opening: Place): Promise<void> {
    this.#run += 1;
    this.#opening = opening;
    this.#pendingRetry = null;
    if (this.#knownSeq === null) this.#show({ state: "loading" });
    const query = firstPage(opening);
    const isEnd = query.around === undefined && query.after_seq === undefined;
    const again = () => void this.#open(opening);
    const isDone = await this.#place(query, again, (page) => {
      const hasNewer = query.around !== undefined || (query.after_seq !== undefined && page.has_more);
      const edges = { hasOlder: isEnd ? page.has_more : true, hasNewer };
      const isPlaced = this.#timeline.replace(page, edges);
      if (isPlaced) this.#knownSeq = page.last_seq;
      return isPlaced;
    });
    // All that is unread may be replies, which are in their threads.
    if (isDone && query.after_seq !== undefined && this.#timeline.messages.length === 0) {
      return this.#open({ messageId: null });
    }
    // Above the first unread message, the user sees what they have read.
    if (isDone && query.after_seq !== undefined) await this.older();
    if (this.#opening === opening) this.#opening = null;
    if (isDone) this.#show({ state: "ready", place: opening });
  }

  /** Fetches until the page is recent enough for the events; true when it is shown. `again` is scheduled if the fetch fails. */
  async #place(query: HistoryQuery, again: () => void, put: (page: HistoryResponse) => boolean): Promise<boolean> {
    const run = this.#run;
    try {
      for (let tries = 1; ; tries += 1) {
        const page = await this.#fetch({ limit: PAGE, ...query });
        if (run !== this.#run) return false;
        if (put(page)) break;
        if (tries === TRIES) throw new Error("The history stays behind the events.");
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
      this.#show({});
      return true;
    } catch (error) {
      if (run !== this.#run) return false;
      const code = error instanceof ParleyError ? error.code : null;
      const isGone = code !== null && GONE.has(code);
      // The list shows a retry button.
      if (this.#knownSeq === null || isGone) this.#show({ state: isGone ? "gone" : "failed" });
      // Retrying does not help for a message that does not exist.
      if (!isGone && code !== "invalid_cursor") this.#scheduleRetry(again);
      return false;
    }
  }

  /**
   * Schedules one retry. A pending one is enough: reopening a place reloads everything, and scrolling requests older
   * and newer messages again.
   */
  #scheduleRetry(again: () => void): void {
    if (this.#pendingRetry !== null) return;
    this.#pendingRetry = again;
    setTimeout(() => this.#pendingRetry === again && this.retry(), RETRY_MS);
  }
}

const placeOf = (at: number | Unread | "end" | null): Place => {
  if (at === null || at === "end") return { messageId: null };
  return typeof at === "number" ? { messageId: at } : { messageId: null, unread: at };
};

const isSame = (a: Place, b: Place): boolean =>
  a.messageId === b.messageId && a.unread?.afterSeq === b.unread?.afterSeq;

/** Returns the query for the page that holds a place. The newest page holds a few unread messages, with read ones above them. */
function firstPage({ messageId, unread }: Place): HistoryQuery {
  if (messageId !== null) return { around: messageId };
  return unread === undefined || unread.count < PAGE ? {} : { after_seq: unread.afterSeq };
}
