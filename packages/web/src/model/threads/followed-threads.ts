import type { EventData } from "@parley/protocol/events";
import { UNREAD_COUNT_MAX } from "@parley/protocol/limits";
import type { ChatMessage } from "@parley/protocol/models";
import type { ThreadsResponse } from "@parley/protocol/thread-calls";
import type { ChannelEvent, UserClient } from "@parley/sdk";
import { RETRY_MS, retryUntilDone } from "../../state/retry.ts";
import { Store } from "../../state/store.ts";
import { isNamed, isOnlyInThread } from "./thread-rules.ts";

/** Changes within this time are read together. */
const TOGETHER_MS = 1_000;
/** Unread threads that the page knows of; the badge shows no larger number. */
const UNREAD_MAX = 100;
const PAGE = 30;

export type FollowedThread = ThreadsResponse["threads"][number];

export interface ThreadsView {
  state: "loading" | "ready" | "failed";
  /** Those with unread replies first, then the one with the newest reply. */
  threads: readonly FollowedThread[];
  hasMore: boolean;
}

const NOTHING: ThreadsView = { state: "loading", threads: [], hasMore: false };

interface Dependencies {
  client: Pick<UserClient, "messages">;
  self(): string | null;
  /** Called when threads turn out to be followed whose replies were counted as not followed. */
  onFound(): void;
}

/** The threads that the user follows: how many have unread replies, and the list of them while it is open. */
export class FollowedThreads {
  readonly view = new Store<ThreadsView>(NOTHING);
  /** The number of unread replies, by the thread's root; threads without are not in it. */
  readonly unread = new Store<ReadonlyMap<number, number>>(new Map());
  readonly #dependencies: Dependencies;
  /** Whether the user follows a thread, by its root, as far as it is known. */
  readonly #follows = new Map<number, boolean>();
  /** Roots of threads with new replies of which it is not known whether the user follows them. */
  readonly #unknown = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stopReading = () => {};
  /** Pages that are shown; 0: the list is closed. */
  #pages = 0;
  #next: number | null = null;
  #run = 0;
  /** Counts the users; what was read for an earlier one is discarded. */
  #user = 0;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Reads what is unread, until it succeeds; called when the user's events begin to arrive. */
  load(): void {
    this.#follows.clear();
    this.#stopReading();
    // No error is shown: it is retried, and the chat works without it.
    this.#stopReading = retryUntilDone(
      () => this.#readUnread(),
      () => {},
    );
    if (this.#pages > 0) void this.#readList();
  }

  /** Discards everything; called when the user changes. */
  forget(): void {
    this.#stopReading();
    this.#run += 1;
    this.#user += 1;
    this.#next = null;
    this.#follows.clear();
    this.#unknown.clear();
    this.unread.set(new Map());
    this.view.set(NOTHING);
  }

  /** Loads the list and keeps it up to date until the returned function is called. */
  watch(): () => void {
    this.#pages = 1;
    void this.#readList();
    return () => {
      this.#pages = 0;
      this.#run += 1;
    };
  }

  retry(): void {
    void this.#readList();
  }

  /** Loads the next page of the list. */
  async more(): Promise<void> {
    const [before, run] = [this.#next, this.#run];
    if (before === null) return;
    const page = await this.#dependencies.client.messages.threads({ before, limit: PAGE });
    if (run !== this.#run) return;
    this.#pages += 1;
    this.#show([...this.view.get().threads, ...page.threads], page.next_before);
  }

  /** True if the message counts as unread in its channel: a reply does for those who follow its thread. */
  counts(message: ChatMessage): boolean {
    return !isOnlyInThread(message) || this.#follows.get(message.thread_root_id ?? 0) === true;
  }

  /** Applies an event of a channel. Call it before the channel counts the message. */
  take(event: ChannelEvent): void {
    if (event.event === "message:new") this.#reply(event.data.chat_message);
    else if (event.event === "message:update" || event.event === "message:delete") this.#changed(event);
  }

  /** Applies what was read, followed or left on any device. */
  pass({ message_id, following, unread_count }: EventData<"thread:read">): void {
    this.#follows.set(message_id, following);
    this.#unknown.delete(message_id);
    this.#count(message_id, following ? unread_count : 0);
    if (this.#pages > 0) this.#readSoon();
  }

  #reply(reply: ChatMessage): void {
    const rootId = reply.thread_root_id;
    const self = this.#dependencies.self();
    if (rootId === null || self === null) return;
    const isOwn = reply.username === self;
    if (isOwn) this.#follows.set(rootId, true);
    // Who was mentioned follows the thread, unless they have left it.
    else if (isNamed(reply, self) && this.#follows.get(rootId) === false) this.#follows.delete(rootId);
    const follows = this.#follows.get(rootId);
    if (follows === undefined) this.#unknown.add(rootId);
    if (follows === true && !isOwn) this.#count(rootId, (this.unread.get().get(rootId) ?? 0) + 1);
    if (follows === undefined || (follows && this.#pages > 0)) this.#readSoon();
  }

  #changed({ data }: { data: { message_id: number } | { chat_message: ChatMessage } }): void {
    const id = "message_id" in data ? data.message_id : data.chat_message.id;
    const isListed = ({ root, last_reply }: FollowedThread) => root.id === id || last_reply?.id === id;
    if (this.#pages > 0 && this.view.get().threads.some(isListed)) this.#readSoon();
  }

  #count(rootId: number, count: number): void {
    if ((this.unread.get().get(rootId) ?? 0) === count) return;
    const next = new Map(this.unread.get());
    if (count === 0) next.delete(rootId);
    else next.set(rootId, Math.min(UNREAD_COUNT_MAX, count));
    this.unread.set(next);
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      if (this.#pages > 0) void this.#readList();
      if (this.#unknown.size > 0) {
        // The next reply asks again.
        this.#readUnread().catch(() => {});
      }
    }, TOGETHER_MS);
  }

  async #readUnread(): Promise<void> {
    const user = this.#user;
    const asked = [...this.#unknown];
    const { threads } = await this.#dependencies.client.messages.threads({ unread: true, limit: UNREAD_MAX });
    if (user !== this.#user) return;
    this.unread.set(new Map(threads.map(({ root, unread_count }) => [root.id, unread_count ?? 0])));
    for (const { root } of threads) this.#follows.set(root.id, true);
    const found = asked.filter((id) => this.#follows.get(id) === true);
    for (const id of asked) {
      this.#unknown.delete(id);
      if (!this.#follows.has(id)) this.#follows.set(id, false);
    }
    if (found.length > 0) this.#dependencies.onFound();
  }

  async #readList(): Promise<void> {
    this.#run += 1;
    const run = this.#run;
    const { messages: calls } = this.#dependencies.client;
    try {
      const unread = await calls.threads({ unread: true, limit: UNREAD_MAX });
      const all = [...unread.threads];
      let next: number | null | undefined;
      for (let read = 0; read < Math.max(1, this.#pages) && next !== null; read += 1) {
        const page = await calls.threads({ limit: PAGE, before: next });
        all.push(...page.threads);
        next = page.next_before;
      }
      if (run === this.#run) this.#show(all, next ?? null);
    } catch {
      if (run !== this.#run) return;
      if (this.view.get().state !== "ready") this.view.set({ ...NOTHING, state: "failed" });
      setTimeout(() => run === this.#run && this.#pages > 0 && void this.#readList(), RETRY_MS);
    }
  }

  #show(threads: readonly FollowedThread[], next: number | null): void {
    this.#next = next;
    const each = new Map(threads.map((thread) => [thread.root.id, thread]));
    const newest = [...each.values()].sort((one, other) => atOf(other) - atOf(one));
    const ordered = [...newest.filter(isUnread), ...newest.filter((thread) => !isUnread(thread))];
    this.view.set({ state: "ready", threads: ordered, hasMore: next !== null });
  }
}

export const isUnread = ({ unread_count }: FollowedThread): boolean => (unread_count ?? 0) > 0;

const atOf = ({ root, last_reply }: FollowedThread): number => Date.parse((last_reply ?? root).created_at);
