import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import { ParleyError } from "@parley/sdk";
import { RETRY_MS } from "../state/retry.ts";
import type { Timeline } from "./timeline.ts";

/** Where to scroll: to a message, or to the end. */
export interface Place {
  messageId: number | null;
}

type Change = { state?: "loading" | "ready" | "failed"; place?: Place };

const PAGE = 50;
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
  ) {
    this.#timeline = timeline;
    this.#fetch = fetch;
    this.#show = show;
  }

  /** Shows a message or the end; null shows what was shown before, or the end. */
  open(at: number | "end" | null): void {
    this.#isOpen = true;
    const isHere =
      this.#knownSeq !== null && (at === null || typeof at === "number" ? this.#has(at) : !this.#timeline.hasNewer);
    if (isHere) this.#show({ state: "ready", place: { messageId: at === "end" ? null : at } });
    else if (this.#opening === null || this.#opening.messageId !== (at === "end" ? null : at)) {
      void this.#open(at === "end" ? null : at);
    }
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
    if (this.#isOpen) void this.#open(null);
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

  #has(at: number | null): boolean {
    return at === null || this.#timeline.find(at) !== undefined;
  }

  #drop(): void {
    this.#run += 1;
    this.#opening = null;
    this.#pendingRetry = null;
    this.#knownSeq = null;
    this.#timeline.clear();
  }

  #again(): void {
    const { messages, hasNewer } = this.#timeline;
    const anchor = hasNewer ? messages[Math.floor(messages.length / 2)] : undefined;
    void this.#open(anchor?.id ?? null);
  }

  async #open(messageId: number | null): Promise<void> {
    this.#run += 1;
    const opening: Place = { messageId };
    this.#opening = opening;
    this.#pendingRetry = null;
    if (this.#knownSeq === null) this.#show({ state: "loading" });
    const isEnd = messageId === null;
    const again = () => void this.#open(messageId);
    const isDone = await this.#place(isEnd ? {} : { around: messageId }, again, (page) => {
      const isPlaced = this.#timeline.replace(page, { hasOlder: isEnd ? page.has_more : true, hasNewer: !isEnd });
      if (isPlaced) this.#knownSeq = page.last_seq;
      return isPlaced;
    });
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
      // The list shows a retry button.
      if (this.#knownSeq === null) this.#show({ state: "failed" });
      // Retrying does not help for a message that does not exist.
      if (!(error instanceof ParleyError && error.code === "invalid_cursor")) this.#scheduleRetry(again);
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
