import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { Notification } from "@parley/protocol/notifications";
import type { RealtimeEvent } from "@parley/sdk";
import { NotificationList } from "../model/calls/notification-list.ts";
import { readUpTo } from "../model/calls/reading.ts";
import type { Parley } from "../session/parley.ts";
import { retryUntilDone } from "../state/retry.ts";
import { Store } from "../state/store.ts";
import { storedAside } from "./aside.ts";
import { type Entry, lastSeqOf } from "./entries.ts";

/** Older work of agents is no news. */
const NEWS_MS = 7 * 24 * 3_600_000;
/** Changes within this time are read together. */
const TOGETHER_MS = 1_000;
/** Steps that can be undone. */
const UNDO_MAX = 200;
const STATES = "done,failed,waiting,gone";

/** What the page shows beside channels and threads. */
export interface Waiting {
  isReady: boolean;
  cards: readonly Notification[];
  sessions: readonly AgentSession[];
}

const NOTHING: Waiting = { isReady: false, cards: [], sessions: [] };

/** Something that was done, and how it comes back. */
interface Step {
  entries: readonly Entry[];
  /** Resolves when the server has it. */
  done: Promise<unknown>;
}

/** What a user who comes back has to look at, and what they have done with it. */
export class CatchUp {
  readonly waiting = new Store<Waiting>(NOTHING);
  readonly notifications: NotificationList;
  /** How far each place is done here; the server may not know it yet. */
  readonly doneUpTo = new Store<ReadonlyMap<string, number>>(new Map());
  readonly aside = storedAside();
  /** Keys of mentions that were brought back. */
  readonly back = new Store<ReadonlySet<string>>(new Set());
  /** The number of steps that can be undone. */
  readonly steps = new Store(0);
  readonly #parley: Parley;
  readonly #undo: Step[] = [];
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(parley: Parley) {
    this.#parley = parley;
    this.notifications = new NotificationList(parley.client, (error) => parley.showError(error));
  }

  /** Loads everything and keeps it up to date until the returned function is called. */
  watch(): () => void {
    const { live, threads } = this.#parley;
    this.notifications.load(true);
    const stops = [
      threads.watch(),
      live.onEvent((event) => this.#take(event)),
      retryUntilDone(
        () => this.#read(),
        (error) => this.#parley.showError(error),
      ),
    ];
    return () => {
      for (const stop of stops) stop();
      this.notifications.close();
      clearTimeout(this.#timer ?? undefined);
      this.#timer = null;
    };
  }

  /** Reads an entry, or sets it aside. Shows an error, and the entry again, if that fails. */
  finish(entry: Entry): void {
    this.#hide(entry);
    this.#push({ entries: [entry], done: this.#send(entry) });
  }

  /** Reads everything by one request. `shown`: what comes back if it is undone. Cards wait until they are answered. */
  finishAll(shown: readonly Entry[]): void {
    const entries = shown.filter(({ kind }) => kind !== "card");
    for (const entry of entries) this.#hide(entry);
    this.#push({ entries, done: this.#parley.client.notifications.markAllRead() });
  }

  /** Brings back what was done last. Resolves with it; empty: there was nothing. */
  async undo(): Promise<readonly Entry[]> {
    const step = this.#undo.pop();
    this.steps.set(this.#undo.length);
    if (step === undefined) return [];
    await step.done;
    // One after the other: a user may have done a hundred places at once.
    for (const entry of step.entries) await this.#bringBack(entry);
    return step.entries;
  }

  #push(step: Step): void {
    this.#undo.push(step);
    if (this.#undo.length > UNDO_MAX) this.#undo.shift();
    this.steps.set(this.#undo.length);
    step.done.catch((error: unknown) => {
      const at = this.#undo.indexOf(step);
      if (at !== -1) this.#undo.splice(at, 1);
      this.steps.set(this.#undo.length);
      for (const entry of step.entries) this.#show(entry);
      this.#parley.showError(error);
    });
  }

  /** What arrives later than what the entry shows stays unread. */
  #send(entry: Entry): Promise<unknown> {
    const { channels, messages, notifications } = this.#parley.client;
    switch (entry.kind) {
      case "channel":
        return channels.markRead(entry.channel.id, entry.channel.last_seq);
      case "thread":
        return messages.readThread(entry.thread.root.id, { seq: lastSeqOf(entry.thread) });
      case "session":
        return Promise.resolve();
      default:
        return notifications.markRead({ ids: [entry.notification.notification_id] });
    }
  }

  async #bringBack(entry: Entry): Promise<void> {
    const { channels, messages } = this.#parley.client;
    if (entry.kind === "channel") await channels.markUnread(entry.channel.id, readUpTo(entry.channel) + 1);
    if (entry.kind === "mention") this.back.change((all) => new Set(all).add(entry.key));
    if (entry.kind === "thread") await messages.markThreadUnread(entry.thread.root.id, readUpTo(entry.thread) + 1);
    this.#show(entry);
  }

  #hide(entry: Entry): void {
    const { key } = entry;
    const seq =
      entry.kind === "channel" ? entry.channel.last_seq : entry.kind === "thread" ? lastSeqOf(entry.thread) : null;
    if (seq === null) this.aside.change((all) => new Set(all).add(key));
    else this.doneUpTo.change((all) => new Map(all).set(key, seq));
  }

  #show({ key }: Entry): void {
    this.aside.change((all) => new Set([...all].filter((each) => each !== key)));
    this.doneUpTo.change((all) => new Map([...all].filter(([each]) => each !== key)));
  }

  #take(event: RealtimeEvent): void {
    this.notifications.take(event);
    const isOfCard = event.event === "notification:new" && event.data.notification.kind === "card";
    const isAnswered = event.event === "notification:read" || event.event === "message:update";
    if (isOfCard || isAnswered || event.event === "agent:session" || event.event === "session:ready") this.#readSoon();
  }

  #readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      // The next change reads it again.
      this.#read().catch(() => {});
    }, TOGETHER_MS);
  }

  async #read(): Promise<void> {
    const { notifications, agents } = this.#parley.client;
    const [cards, worked] = await Promise.all([
      notifications.list({ waiting: true }),
      agents.sessions({ state: STATES }),
    ]);
    const from = Date.now() - NEWS_MS;
    const sessions = worked.sessions.filter(({ since }) => Date.parse(since) > from);
    this.waiting.set({ isReady: true, cards: cards.notifications, sessions });
  }
}

const instances = new WeakMap<Parley, { self: string | null; catchUp: CatchUp }>();

/** Returns the page's one instance for its user, so that what was done can be undone after looking at a channel. */
export function catchUpOf(parley: Parley): CatchUp {
  const known = instances.get(parley);
  if (known !== undefined && known.self === parley.self) return known.catchUp;
  const catchUp = new CatchUp(parley);
  instances.set(parley, { self: parley.self, catchUp });
  return catchUp;
}
