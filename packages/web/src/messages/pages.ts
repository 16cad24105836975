import type { HistoryAnswer, HistoryQuery } from "@parley/protocol/messages";
import { ParleyError } from "@parley/sdk/errors";
import { RETRY_MS } from "../app/until-done.ts";
import type { Timeline } from "./timeline.ts";

/** Where to look: at a message, or at the end. */
export interface Place {
  messageId: number | null;
}

type Change = { state?: "loading" | "ready" | "failed"; place?: Place };

const PAGE = 50;
/** A server behind another one may be a moment behind the events; it is asked again so often, with these waits. */
const TRIES = 6;
const AGAIN_MS = 150;

/** Fetches a channel's history into its timeline: the end, around a message, older, newer. One fetch of a kind at a time. */
export class Pages {
  readonly #timeline: Timeline;
  readonly #fetch: (query: HistoryQuery) => Promise<HistoryAnswer>;
  readonly #show: (change: Change) => void;
  /** Counts openings: what an earlier one fetched is not wanted any more. */
  #run = 0;
  #isOpen = false;
  /** What is being opened: asking for it again changes nothing. */
  #opening: Place | null = null;
  /** Asks again for what could not be fetched; null: nothing is missing. */
  #owed: (() => void) | null = null;
  #isOlderDue = false;
  #isNewerDue = false;
  /** Up to where what is shown is known, as long as no events have come; null: nothing is shown. */
  #knownSeq: number | null = null;

  constructor(
    timeline: Timeline,
    fetch: (query: HistoryQuery) => Promise<HistoryAnswer>,
    show: (change: Change) => void,
  ) {
    this.#timeline = timeline;
    this.#fetch = fetch;
    this.#show = show;
  }

  /** Shows a message, or the end; null: what was shown before, or the end. */
  open(at: number | "end" | null): void {
    this.#isOpen = true;
    const isHere =
      this.#knownSeq !== null && (at === null || typeof at === "number" ? this.#has(at) : !this.#timeline.hasNewer);
    if (isHere) this.#show({ state: "ready", place: { messageId: at === "end" ? null : at } });
    else if (this.#opening === null || this.#opening.messageId !== (at === "end" ? null : at)) {
      void this.#open(at === "end" ? null : at);
    }
  }

  /** The server is there again: what could not be fetched is asked for once more. */
  retry(): void {
    const owed = this.#owed;
    this.#owed = null;
    owed?.();
  }

  /** Events come from this seq on. What was fetched before they began may have a hole before it: then it is fetched anew, and true is given. */
  begun(seq: number): boolean {
    this.#timeline.begin(seq);
    const isBehind = this.#isOpen && this.#knownSeq !== null && this.#knownSeq !== seq;
    if (isBehind) this.#again();
    return isBehind;
  }

  /** Changes of what is shown were missed: it is fetched anew. */
  missed(): void {
    if (this.#isOpen) this.#again();
    else this.#drop();
  }

  /** Nobody looks any more: nothing is kept. */
  close(): void {
    this.#isOpen = false;
    this.#drop();
  }

  /** Nothing that is here counts any more. */
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
      // When the oldest was let go meanwhile, there would be a hole between.
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
    this.#owed = null;
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
    this.#owed = null;
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

  /** Fetches until what came fits to the events; true when it is shown. `again`: done later, when it could not be fetched. */
  async #place(query: HistoryQuery, again: () => void, put: (page: HistoryAnswer) => boolean): Promise<boolean> {
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
      // The list offers to try again.
      if (this.#knownSeq === null) this.#show({ state: "failed" });
      // A message that is not there does not come by asking again.
      if (!(error instanceof ParleyError && error.code === "invalid_cursor")) this.#owe(again);
      return false;
    }
  }

  /** Who is owed a place anew gets all with it; older and newer messages are asked for by scrolling, too. */
  #owe(again: () => void): void {
    if (this.#owed !== null) return;
    this.#owed = again;
    setTimeout(() => this.#owed === again && this.retry(), RETRY_MS);
  }
}
