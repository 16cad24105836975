import type { ChannelJoinAck } from "@parley/protocol/command-data";
import type { EventData } from "@parley/protocol/events";
import { MESSAGES_ASKED_MAX } from "@parley/protocol/limits";
import type { HistoryQuery } from "@parley/protocol/messages";
import type { ChatMessage } from "@parley/protocol/models";
import type { Thread } from "@parley/protocol/threads";
import type {
  ChannelEvent,
  ChannelSubscription,
  EphemeralEvent,
  ParleyError,
  RealtimeClient,
  UserClient,
} from "@parley/sdk";
import type { Route } from "../state/route.ts";
import { Store } from "../state/store.ts";
import { Conversation } from "./conversation.ts";
import { Growing } from "./growing/growing.ts";
import type { Unread } from "./history-pages.ts";
import { NOBODY_ONLINE, type OnlineList, OnlineTracker } from "./online-list.ts";
import { PendingMessages } from "./pending-messages.ts";
import { Quotes } from "./quotes.ts";
import { actorOf } from "./sender.ts";
import { type Suggested, suggestedIn } from "./suggested.ts";
import { collapsedPage, threadPage } from "./threads/thread-pages.ts";
import { isOnlyInThread, toldThread } from "./threads/thread-rules.ts";
import { ThreadSession } from "./threads/thread-session.ts";
import { TypingUsers } from "./typing-users.ts";

interface Dependencies {
  client: UserClient;
  live: RealtimeClient;
  channelId: number;
  /** The user's name; null for a guest. */
  self(): string | null;
  onEvent(event: ChannelEvent): void;
  /** `isFirst`: the first join; events before it are not delivered. */
  onJoined(ack: ChannelJoinAck, isFirst: boolean): void;
  onEnded(error: ParleyError): void;
  /** Called when the open route leads to a reply that is only in its thread. */
  onReply(reply: ChatMessage): void;
}

/** The fields of a thread that each user has for themselves. */
type OwnThread = Pick<EventData<"thread:read">, "message_id" | "following" | "unread_count">;

/** The page's session with one channel: it receives events at all times, and loads messages when the channel is opened. */
export class ChannelSession extends Conversation {
  readonly id: number;
  readonly people: Store<OnlineList>;
  readonly typingUsers = new TypingUsers();
  readonly pendingMessages: PendingMessages;
  readonly growing: Growing;
  readonly quotes: Quotes;
  readonly suggested: Suggested;
  /** Increases when the list of pins has or may have changed. */
  readonly pinned = new Store(0);
  /** Increases with each join of the channel: what has no `seq` may have been missed before it. */
  readonly joined = new Store(0);
  /** The thread that is open beside the channel. */
  readonly thread = new Store<ThreadSession | null>(null);
  readonly #dependencies: Dependencies;
  readonly #online: OnlineTracker;
  #feed: ChannelSubscription | null = null;
  /** The route that is shown; null: the channel is not open. */
  #route: { route: Route; isUnreadKnown: boolean } | null = null;

  constructor(dependencies: Dependencies) {
    const fetch = (query: HistoryQuery) => dependencies.client.messages.list({ ...query, channel_id: this.id });
    super({
      rootId: null,
      fetch: async (query) => {
        const page = await collapsedPage(fetch, query);
        const target = query.around;
        if (target !== undefined && !page.messages.some(({ id }) => id === target)) void this.#findReply(target);
        return page;
      },
      self: () => dependencies.self(),
    });
    this.#dependencies = dependencies;
    this.id = dependencies.channelId;
    this.pendingMessages = new PendingMessages(this.id, (body, signal) => dependencies.live.send(body, { signal }));
    this.growing = new Growing(async (id) => (await dependencies.client.messages.stream(id)).stream);
    this.quotes = new Quotes({ channelId: this.id, fetch, find: (id) => this.find(id) });
    this.suggested = suggestedIn(dependencies.client, this.id, () => document.documentElement.lang.slice(0, 2));
    this.#online = new OnlineTracker(() => this.#readPeople());
    this.people = this.#online.view;
  }

  get isFollowed(): boolean {
    return this.#feed !== null;
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
        this.growing.joined(ack.streams);
        this.#setUser();
        // Retry failed fetches. Pins may have changed without an event, so reload them too.
        this.pages.retry();
        this.thread.get()?.reconnected();
        this.quotes.retry();
        this.#repin();
        this.joined.change((count) => count + 1);
        this.#dependencies.onJoined(ack, this.#feed?.position == null);
      },
      onReady: () => {
        const seq = this.#feed?.position?.seq ?? 0;
        // Quotes are fetched after the messages, so if the messages are current, so are they.
        if (this.pages.onReady(seq)) this.quotes.refresh();
        else void this.#refreshThreads();
        this.thread.get()?.ready(seq);
      },
      onBackfill: () => {
        this.quotes.refresh();
        this.pages.onGap();
        this.thread.get()?.missed();
      },
      onReset: () => {
        this.quotes.refresh();
        this.pages.forget();
        this.thread.get()?.reset();
      },
      onClose: (error) => {
        this.#feed = null;
        this.typingUsers.clear();
        this.growing.joined();
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
    this.growing.joined();
    this.#online.set(NOBODY_ONLINE);
    this.pendingMessages.setUser(null);
    this.#showThread(null, null);
    this.pages.close();
    this.show({ state: "loading", newAfterSeq: null, place: { messageId: null } });
  }

  /**
   * Called when the channel is opened, and again for each new route in it. The same object scrolls again only when it
   * is learned what the user has not read; undefined: that is not known, as for somebody who is no member.
   */
  open(route: Route, unread: Unread | null | undefined): void {
    this.follow();
    this.#setUser();
    const before = this.#route;
    const isSame = route === before?.route;
    if (isSame && (before.isUnreadKnown || unread == null)) return;
    this.#route = { route, isUnreadKnown: unread !== undefined };
    const { threadId, messageId } = route;
    if (!isSame) {
      this.#showThread(threadId, messageId);
      // A thread opens and closes beside the channel, which stays where it is.
      if (before !== null && (threadId ?? (messageId === null ? before.route.threadId : null)) !== null) return;
    }
    this.returns.set([]);
    if (unread != null) this.show({ newAfterSeq: unread.afterSeq });
    const target = threadId === null ? messageId : null;
    this.pages.open(target ?? unread ?? (before === null ? null : "end"));
  }

  /** Applies what the server tells this user alone of a thread. */
  readThread({ message_id, following, unread_count }: OwnThread): void {
    this.#changeThread(message_id, (thread) => thread && { ...thread, following, unread_count });
  }

  /** Called when the channel is no longer visible; messages that arrive from now on are new. */
  close(): void {
    this.#route = null;
    this.#showThread(null, null);
    this.isAtEnd = true;
    this.composeState.replyTo.set(null);
    this.composeState.editing.set(null);
    this.returns.set([]);
    this.show({ newAfterSeq: null });
  }

  async #readPeople(): Promise<OnlineList> {
    const online = await this.#dependencies.client.channels.online(this.id, { limit: 200 });
    return { users: online.users, count: online.count, guests: online.guest_count };
  }

  #setUser(): void {
    const self = this.#dependencies.self();
    this.timeline.self = self;
    this.pendingMessages.setUser(self);
  }

  #showThread(rootId: number | null, messageId: number | null): void {
    const open = this.thread.get();
    if (open !== null && open.rootId !== rootId) open.close();
    if (rootId === null) {
      this.thread.set(null);
      return;
    }
    const thread = open?.rootId === rootId ? open : this.#makeThread(rootId);
    thread.open(messageId);
    this.thread.set(thread);
  }

  #makeThread(rootId: number): ThreadSession {
    const { client, self } = this.#dependencies;
    return new ThreadSession({
      rootId,
      channel: this,
      seq: this.#feed?.position?.seq ?? 0,
      self,
      fetch: (query) => threadPage((page) => client.messages.thread(rootId, page), query),
    });
  }

  /** Called when a link leads to a message that the channel does not show: a reply is in its thread. */
  async #findReply(messageId: number): Promise<void> {
    const { client, onReply } = this.#dependencies;
    try {
      const { messages } = await client.messages.list({ channel_id: this.id, ids: String(messageId) });
      const [reply] = messages;
      if (reply !== undefined && this.#route?.route.messageId === messageId) onReply(reply);
    } catch {
      // The channel stays where it is.
    }
  }

  #changeThread(rootId: number, to: (thread: Thread | null) => Thread | null): void {
    if (this.timeline.changeThread(rootId, to)) this.draw();
    this.thread.get()?.changeThread(rootId, to);
  }

  /** Reads the threads of loaded messages again: changes that are no events of the channel may have been missed. */
  async #refreshThreads(): Promise<void> {
    const roots = this.timeline.messages.filter(({ thread }) => thread !== null).slice(-MESSAGES_ASKED_MAX);
    if (roots.length === 0) return;
    try {
      const ids = roots.map(({ id }) => id).join(",");
      const { messages } = await this.#dependencies.client.messages.list({ channel_id: this.id, ids });
      for (const { id, thread } of messages) this.#changeThread(id, () => thread);
    } catch {
      // The next reply brings a thread up to date.
    }
  }

  #take(event: ChannelEvent): void {
    if (event.event === "message:new") this.#meet(event.data.chat_message);
    if (this.#changesPins(event)) this.#repin();
    this.thread.get()?.take(event);
    this.apply(event);
    this.quotes.take(event);
    this.#dependencies.onEvent(event);
  }

  #meet(message: ChatMessage): void {
    const actor = actorOf(message);
    if (actor !== null) this.typingUsers.set(actor.kind, actor.name, false);
    this.arrive(message);
    const key = message.client_msg_id;
    // The thread settles it when it shows it.
    const isShown = !isOnlyInThread(message) || message.thread_root_id === this.thread.get()?.rootId;
    if (!isShown && key !== null) this.pendingMessages.settle(key);
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

  #pass(event: EphemeralEvent): void {
    if (event.event === "user:list") this.#online.take(event.data);
    else if (event.event === "stream:start" || event.event === "stream:delta" || event.event === "stream:end")
      this.growing.take(event);
    else if (event.event === "thread:update") {
      const { message_id, thread } = event.data;
      this.#changeThread(message_id, (known) => toldThread(known, thread));
    } else if (event.event === "typing" && event.data.name !== this.#dependencies.self()) {
      const { kind, name, typing, thread_root_id: rootId = null } = event.data;
      this.typingUsers.set(kind, name, typing, rootId);
    }
  }
}
