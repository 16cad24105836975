import type { Channel } from "@parley/protocol/models";
import type { FoundMessage, SearchQuery } from "@parley/protocol/search";
import type { UserClient } from "@parley/sdk";
import { Store } from "../state/store.ts";
import { labelOf } from "./channel-groups.ts";
import type { ParsedSearch } from "./search-query.ts";

/** The results of a search. */
export interface Found {
  query: SearchQuery;
  messages: readonly FoundMessage[];
  /** Where the next page begins; null: this is all. */
  next: number | null;
}

export interface SearchView {
  /** As it is typed. */
  text: string;
  isOnlyHere: boolean;
  /** The channel in which the search was opened. */
  channelId: number | null;
  found: Found | null;
}

const NOTHING: SearchView = { text: "", isOnlyHere: true, channelId: null, found: null };
/** A page may be empty although more follow: the server stops a search that takes long. */
const EMPTY_PAGES = 5;

/** Returns whether the server can look for this: by words or a sender, or by facts in one channel. */
function mayRun({ q, username, has, is, channel_id, channel_slug }: SearchQuery): boolean {
  if (q !== undefined || username !== undefined || is?.split(",").includes("mine") === true) return true;
  return (has ?? is) !== undefined && (channel_id ?? channel_slug) !== undefined;
}

/** The user's search. It outlives its panel: whoever opens the panel again sees the same results at the same place. */
export class MessageSearch {
  readonly view = new Store(NOTHING);
  /** How far the results are scrolled. */
  scrollTop = 0;
  readonly #client: UserClient;
  readonly #channels: () => readonly Channel[];

  constructor(client: UserClient, channels: () => readonly Channel[]) {
    this.#client = client;
    this.#channels = channels;
  }

  /** Called when the panel opens. Results that are limited to another channel are dropped, and the text stays. */
  open(channelId: number): void {
    const { channelId: before, found } = this.view.get();
    const isElsewhere = before !== channelId && found?.query.channel_id !== undefined;
    if (isElsewhere) this.scrollTop = 0;
    this.view.change((view) => ({ ...view, channelId, found: isElsewhere ? null : view.found }));
  }

  edit(change: Partial<Pick<SearchView, "text" | "isOnlyHere">>): void {
    this.view.change((view) => ({ ...view, ...change }));
  }

  /**
   * Searches. Returns what is typed. Nothing is searched if a date or a fact is wrong, or if it says too little about
   * what to look for (`isTooWide`).
   */
  async run(): Promise<ParsedSearch & { isTooWide?: boolean }> {
    const { parseSearch, queryOf } = await import("./search-query.ts");
    const { text, isOnlyHere, channelId } = this.view.get();
    const parsed = parseSearch(text);
    if (parsed.wrongDate !== null || parsed.wrongFact !== null) return parsed;
    const place =
      this.#placeOf(parsed.filters.in) ?? (isOnlyHere && channelId !== null ? { channel_id: channelId } : {});
    const query = { ...queryOf(parsed), ...place };
    if (!mayRun(query)) return { ...parsed, isTooWide: true };
    const found = await this.#read({ query, messages: [], next: null });
    this.scrollTop = 0;
    this.view.change((view) => ({ ...view, found }));
    return parsed;
  }

  /** Reads the next page of results. */
  async more(): Promise<void> {
    const { found } = this.view.get();
    if (found === null || found.next === null) return;
    const longer = await this.#read(found);
    this.view.change((view) => (view.found === found ? { ...view, found: longer } : view));
  }

  forget(): void {
    this.scrollTop = 0;
    this.view.set(NOTHING);
  }

  async #read({ query, messages, next }: Found): Promise<Found> {
    let before = next;
    for (let pages = 1; ; pages++) {
      const page = await this.#client.messages.search({ ...query, ...(before === null ? {} : { before }) });
      before = page.has_more ? page.next_before : null;
      if (page.messages.length > 0 || before === null || pages === EMPTY_PAGES) {
        return { query, messages: [...messages, ...page.messages], next: before };
      }
    }
  }

  /** Returns the channel of `in:`, which names its address, its name, or the other user of a conversation. */
  #placeOf(name: string | undefined): Pick<SearchQuery, "channel_id" | "channel_slug"> | undefined {
    if (name === undefined) return undefined;
    const wanted = name.toLowerCase();
    const channels = this.#channels();
    const found =
      channels.find(({ channel_slug }) => channel_slug === wanted) ??
      channels.find((channel) => labelOf(channel).toLowerCase() === wanted);
    return found === undefined ? { channel_slug: wanted } : { channel_id: found.id };
  }
}
