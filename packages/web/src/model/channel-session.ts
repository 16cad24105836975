import type { ChannelJoinAck } from "@parley/protocol/command-data";
import type { HistoryQuery } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type {
  ChannelEvent,
  ChannelSubscription,
  EphemeralEvent,
  ParleyClient,
  ParleyError,
  RealtimeClient,
} from "@parley/sdk";
import { oncePerFrame } from "../state/frame-throttle.ts";
import type { Route } from "../state/route.ts";
import { Store } from "../state/store.ts";
import { type ChannelView, NOTHING_LOADED } from "./channel-view.ts";
import { ComposeState } from "./compose-state.ts";
import { HistoryPages, type InView, type Unread } from "./history-pages.ts";
import { changeAtOneEnd } from "./list-window.ts";
import { MemberNames } from "./member-names.ts";
import { NOBODY_ONLINE, type OnlineList, OnlineTracker } from "./online-list.ts";
import { PendingMessages } from "./pending-messages.ts";
import { Quotes } from "./quotes.ts";
import { senderOf } from "./sender.ts";
import { Timeline } from "./timeline.ts";
import { TypingUsers } from "./typing-users.ts";

interface Dependencies {
  client: ParleyClient;
  live: RealtimeClient;
  channelId: number;
  /** The user's name; null for a guest. */
  self(): string | null;
  onEvent(event: ChannelEvent): void;
  /** `isFirst`: the first join; events before it are not delivered. */
  onJoined(ack: ChannelJoinAck, isFirst: boolean): void;
  onEnded(error: ParleyError): void;
}

/** The page's session with one channel: it receives events at all times, and loads messages when the channel is opened. */
export class ChannelSession {
  readonly id: number;
  readonly view = new Store(NOTHING_LOADED);
  readonly people: Store<OnlineList>;
  readonly typingUsers = new TypingUsers();
  readonly pendingMessages: PendingMessages;
  readonly quotes: Quotes;
  readonly members: MemberNames;
  readonly composeState = new ComposeState();
  /** Messages the user jumped from to see a quoted message; the most recent is last. */
  readonly returns = new Store<readonly number[]>([]);
  /** Increases when the list of pins has or may have changed. */
  readonly pinned = new Store(0);
  /** Returns the message at the top of the visible part of the list; set by the list while it is shown. */
  inView: () => InView | null = () => null;
  /** The newest message that arrived live, for screen readers. */
  readonly arrived = new Store<ChatMessage | null>(null);
  readonly #dependencies: Dependencies;
  readonly #timeline = new Timeline();
  readonly #pages: HistoryPages;
  readonly #online: OnlineTracker;
  #feed: ChannelSubscription | null = null;
  /** True while the newest message is visible: then old messages are trimmed and nothing is marked as new. */
  #isAtEnd = true;
  #newest: ChatMessage | null = null;
  /** The route that is shown; null: the channel is not open. */
  #route: { route: Route; isUnreadKnown: boolean } | null = null;
  /** Keys of the user's own messages that have arrived, to be settled at the next render. */
  readonly #settled: string[] = [];

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.id = dependencies.channelId;
    this.pendingMessages = new PendingMessages(this.id, (body, signal) => dependencies.live.send(body, { signal }));
    const fetch = (query: HistoryQuery) => dependencies.client.messages.list({ ...query, channel_id: this.id });
    this.quotes = new Quotes({ channelId: this.id, fetch, find: (id) => this.find(id) });
    this.members = new MemberNames(() => dependencies.client.channels.members(this.id, { limit: 200 }));
    const inView = () => (this.#isAtEnd ? null : this.inView());
    this.#pages = new HistoryPages(this.#timeline, fetch, (change) => this.#show(change), inView);
    this.#online = new OnlineTracker(() => this.#readPeople());
    this.people = this.#online.view;
  }

  get isFollowed(): boolean {
    return this.#feed !== null;
  }

  /** The newest seq of a loaded message; 0 without one. */
  get newestSeq(): number {
    return this.#timeline.messages.at(-1)?.seq ?? 0;
  }

  /** Subscribes to the channel's events. */
  follow(): void {
    if (this.#feed !== null) return;
    const { client, live } = this.#dependencies;
    this.#feed = client.subscribe(live, {
      channel: this.id,
      onEvent: (event) => this.#take(event),
      onEphemeral: (event) => this.#pass(event),
      onJoined: (ack) => {
        this.#online.set({ users: ack.users, count: ack.count, guests: ack.guest_count });
        this.#setUser();
        // Retry failed fetches. Pins may have changed without an event, so reload them too.
        this.#pages.retry();
        this.quotes.retry();
        this.#repin();
        this.#dependencies.onJoined(ack, this.#feed?.position == null);
      },
      onReady: () => {
        // Quotes are fetched after the messages, so if the messages are current, so are they.
        if (this.#pages.onReady(this.#feed?.position?.seq ?? 0)) this.quotes.refresh();
      },
      onBackfill: () => {
        this.quotes.refresh();
        this.#pages.onGap();
      },
      onReset: () => {
        this.quotes.refresh();
        this.#pages.forget();
      },
      onClose: (error) => {
        this.#feed = null;
        this.typingUsers.clear();
        this.#dependencies.onEnded(error);
      },
    });
  }

  /** Unsubscribes, and drops the messages. */
  leave(): void {
    this.#feed?.close();
    this.#feed = null;
    this.#route = null;
    this.typingUsers.clear();
    this.#online.set(NOBODY_ONLINE);
    this.pendingMessages.setUser(null);
    this.#pages.close();
    this.#show({ state: "loading", newAfterSeq: null, place: { messageId: null } });
  }

  /**
   * Called when the channel is opened, and again for each new route in it. The same object scrolls again only when it
   * is learned what the user has not read; undefined: that is not known, as for somebody who is no member.
   */
  open(route: Route, unread: Unread | null | undefined): void {
    this.follow();
    this.#setUser();
    const before = this.#route;
    if (route === before?.route && (before.isUnreadKnown || unread == null)) return;
    this.#route = { route, isUnreadKnown: unread !== undefined };
    this.returns.set([]);
    if (unread != null) this.#show({ newAfterSeq: unread.afterSeq });
    this.#pages.open(route.messageId ?? unread ?? (before === null ? null : "end"));
  }

  /** Called when the channel is no longer visible; messages that arrive from now on are new. */
  close(): void {
    this.#route = null;
    this.#isAtEnd = true;
    this.composeState.replyTo.set(null);
    this.composeState.editing.set(null);
    this.returns.set([]);
    this.#show({ newAfterSeq: null });
  }

  /** Scrolls to another message of the channel; null: to its end. */
  scrollTo(messageId: number | null): void {
    if (messageId === null) {
      this.#show({ newAfterSeq: null });
      this.returns.set([]);
    }
    this.#pages.open(messageId ?? "end");
  }

  /** Scrolls to the first of the messages that are marked as new, of which there are at least `count`. */
  scrollToNew(count: number): void {
    const { newAfterSeq } = this.view.get();
    if (newAfterSeq !== null) this.#pages.open({ afterSeq: newAfterSeq, count });
  }

  /** Jumps to a quoted message, and remembers where the user was. */
  jump(fromId: number, toId: number): void {
    this.returns.change((all) => [...all.filter((id) => id !== fromId), fromId]);
    this.scrollTo(toId);
  }

  /** Returns to the message the user jumped from last. */
  back(): void {
    const from = this.returns.get().at(-1);
    this.returns.change((all) => all.slice(0, -1));
    if (from !== undefined) this.scrollTo(from);
  }

  retry(): void {
    this.#pages.open("end");
  }

  loadOlder(): void {
    void this.#pages.older();
  }

  loadNewer(): void {
    void this.#pages.newer();
  }

  /** Sets whether the newest message is visible and the user is looking at it. */
  setAtEnd(isAtEnd: boolean): void {
    this.#isAtEnd = isAtEnd;
  }

  /** Clears the "new" line when everything has been seen; the next message to arrive is new. */
  seen(): void {
    if (this.#isAtEnd && this.view.get().newAfterSeq !== null) this.#show({ newAfterSeq: null });
  }

  find(messageId: number): ChatMessage | undefined {
    return this.#timeline.find(messageId);
  }

  async #readPeople(): Promise<OnlineList> {
    const online = await this.#dependencies.client.channels.online(this.id, { limit: 200 });
    return { users: online.users, count: online.count, guests: online.guest_count };
  }

  #setUser(): void {
    const self = this.#dependencies.self();
    this.#timeline.self = self;
    this.pendingMessages.setUser(self);
  }

  #take(event: ChannelEvent): void {
    if (event.event === "message:new") this.#arrive(event.data.chat_message);
    if (this.#changesPins(event)) this.#repin();
    if (this.#timeline.apply(event) || this.#settled.length > 0) this.#draw();
    this.quotes.take(event);
    this.#dependencies.onEvent(event);
  }

  /** True if the event changes the pins. Call it before the event is applied. A deleted message that is not loaded may have been pinned. */
  #changesPins(event: ChannelEvent): boolean {
    if (event.event === "message:update") return event.data.chat_message.is_pinned;
    if (event.event === "message:delete") return this.find(event.data.message_id)?.is_pinned !== false;
    if (event.event === "history:purged") return true;
    return event.event === "message:pin" || event.event === "message:unpin";
  }

  #repin(): void {
    this.pinned.change((count) => count + 1);
  }

  #arrive(message: ChatMessage): void {
    if (message.client_msg_id !== null) this.#settled.push(message.client_msg_id);
    if (message.sender_type !== "system") this.typingUsers.set(message.sender_type, senderOf(message), false);
    if (message.username === this.#dependencies.self()) return;
    this.#newest = message;
    const isSeen = this.#isAtEnd && document.visibilityState === "visible" && document.hasFocus();
    if (!isSeen && this.view.get().newAfterSeq === null) this.#show({ newAfterSeq: message.seq - 1 });
  }

  #pass(event: EphemeralEvent): void {
    if (event.event === "user:list") this.#online.take(event.data);
    else if (event.event === "typing" && event.data.name !== this.#dependencies.self()) {
      this.typingUsers.set(event.data.kind, event.data.name, event.data.typing);
    }
  }

  readonly #draw = oncePerFrame(() => this.#drawNow());

  /** Renders after the frame, not within it. Rows measured in the same frame would be counted as scrolling. */
  readonly #drawRest = oncePerFrame(() => setTimeout(() => this.#drawNow()));

  #drawNow(): void {
    if (this.#isAtEnd) this.#timeline.trim();
    else this.#timeline.hold();
    if (!this.#show({})) return;
    for (const key of this.#settled.splice(0)) this.pendingMessages.settle(key);
    this.arrived.set(this.#newest);
  }

  /** Returns true if everything is shown; otherwise the rest follows at the next render. */
  #show(change: Partial<ChannelView>): boolean {
    const { messages, hasOlder, hasNewer } = this.#timeline;
    // A change of place needs no scroll position to be kept.
    const next = change.place === undefined ? changeAtOneEnd(this.view.get().messages, messages) : messages;
    const isCut = next[0] !== messages[0];
    const isEndCut = next.at(-1) !== messages.at(-1);
    this.view.change((view) => ({
      ...view,
      ...change,
      messages: [...next],
      hasOlder: hasOlder || isCut,
      // Do not report the end before it is shown: the list would scroll to it.
      hasNewer: isEndCut ? view.hasNewer : hasNewer,
    }));
    const isAll = next.length === messages.length;
    // The list has to settle its scroll position between the two renders.
    if (!isAll) this.#drawRest();
    return isAll;
  }
}
