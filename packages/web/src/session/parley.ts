import type { EventData } from "@parley/protocol/events";
import type { Channel, ChatMessage } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";
import { type RealtimeClient, type RealtimeState, UserClient } from "@parley/sdk";
import { Blocks } from "../model/blocks.ts";
import { Calls } from "../model/calls/calls.ts";
import { PageInFront } from "../model/calls/page-in-front.ts";
import { Chains } from "../model/chains.ts";
import { ChannelList } from "../model/channel-list.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { Entrance } from "../model/entrance.ts";
import { MessageSearch } from "../model/message-search.ts";
import { type Avatars, avatarKey, makeAvatars } from "../model/profiles/avatars.ts";
import { OnlinePeople } from "../model/profiles/presence.ts";
import { makeShownProfiles, type ShownProfiles } from "../model/profiles/shown-profiles.ts";
import { RedPackets } from "../model/red-packets.ts";
import { OwnSecurityNotices } from "../model/security-notices.ts";
import { FollowedThreads } from "../model/threads/followed-threads.ts";
import { Confirm } from "../state/confirm.ts";
import { currentRoute } from "../state/current-route.ts";
import { fetchWithEarly, isListEarly } from "../state/early.ts";
import { oncePerFrame } from "../state/frame-throttle.ts";
import { writeStored } from "../state/local-storage.ts";
import { Notices } from "../state/notices.ts";
import { Preferences } from "../state/preferences.ts";
import { forgetChannels } from "../state/recent-channels.ts";
import { channelHref, parseRoute, type Route } from "../state/route.ts";
import { Store } from "../state/store.ts";
import { DraftedFiles } from "./drafted-files.ts";
import { firstView } from "./first-view.ts";
import { OpenChannels } from "./open-channels.ts";
import type { OpenCard, OpenDialog } from "./open-dialog.ts";
import { Reading } from "./reading.ts";
import type { Session } from "./session.ts";

/** The storage key written at each login and logout, which notifies the browser's other pages. */
const CHANGED = "user-changed";

/** How long the page waits for its socket before it reads the channel list without. */
const READY_WAIT_MS = 1_000;

/** The state of the page and all its actions. Components read its stores. */
export class Parley {
  readonly client: UserClient;
  readonly live: RealtimeClient;
  readonly session = new Store<Session>({ state: "unknown" });
  readonly connection: Store<RealtimeState>;
  /** True from the loss of the connection until it is back; false while the page connects for the first time. */
  readonly isLost = new Store(false);
  readonly route: Store<Route> = currentRoute();
  readonly preferences = new Preferences();
  readonly notices = new Notices();
  readonly confirm = new Confirm();
  readonly channels: ChannelList;
  readonly calls: Calls;
  readonly redPackets: RedPackets;
  readonly avatars: Avatars;
  readonly profiles: ShownProfiles;
  readonly presence: OnlinePeople;
  readonly securityNotices: OwnSecurityNotices;
  readonly blocks: Blocks;
  readonly chains: Chains;
  readonly search: MessageSearch;
  readonly threads: FollowedThreads;
  readonly entrance: Entrance;
  readonly draftedFiles: DraftedFiles;
  readonly reading: Reading;
  /** The side of the login dialog that is open; null: it is closed. */
  readonly loginDialog = new Store<"login" | "register" | null>(null);
  /** The user who must set up a second factor before anything else; null: nobody. */
  readonly lacksFactor = new Store<string | null>(null);
  readonly openDialog = new Store<OpenDialog | null>(null);
  /** Messages that are hidden here and deleted soon, unless the user undoes it. */
  readonly withdrawn = new Store<ReadonlySet<number>>(new Set());
  /** Sends what waits and needs the session, before a logout ends it. */
  finish = async (): Promise<void> => {};
  readonly openCard = new Store<OpenCard | null>(null);
  readonly #open: OpenChannels;
  readonly #inFront: PageInFront;
  /** Loads the list if the socket is late. */
  readonly #firstLoad: ReturnType<typeof setTimeout>;
  /** The epoch of the server's data; null until the server has reported it. */
  #epoch: string | null = null;

  /** `plainText` returns a message's text without Markdown. */
  constructor(url: string, plainText: (message: ChatMessage) => Promise<string>) {
    this.client = new UserClient({ url, fetch: fetchWithEarly((id) => this.channels.find(id)?.channel_slug) });
    const self = () => this.self;
    this.avatars = makeAvatars(this.client);
    this.profiles = makeShownProfiles(this.client);
    this.presence = new OnlinePeople(this.client);
    this.securityNotices = new OwnSecurityNotices(this.client);
    this.blocks = new Blocks(this.client);
    this.channels = new ChannelList(this.client, oncePerFrame, () => this.route.get().slug);
    this.calls = new Calls(this, {
      self,
      texts: () => this.preferences.texts,
      language: () => this.preferences.language.get(),
      plainText,
      open: (url) => this.#goTo(new URL(url).hash),
    });
    this.chains = new Chains(this.client);
    this.search = new MessageSearch(this.client, () => this.channels.view.get().channels);
    this.threads = new FollowedThreads({ client: this.client, self, onFound: () => void this.channels.load() });
    this.entrance = new Entrance(this.client, location);
    this.draftedFiles = new DraftedFiles(this.client, () => this.entrance.site.get());
    this.live = this.client.realtime({ onError: reportError });
    this.redPackets = new RedPackets(this.client, this.live);
    this.#inFront = new PageInFront(this.live, () => this.self !== null);
    this.connection = new Store(this.live.state);
    this.live.onState((state) => this.#connectionChanged(state));
    this.live.onEvent((event) => {
      if (event.event === "session:ready") this.#ready(event.data);
      else if (event.event === "user:avatar") this.avatars.put(avatarKey(event.data.username), event.data.version);
      else if (event.event === "user:profile") this.profiles.put(avatarKey(event.data.username), event.data);
      else if (this.channels.pass(event)) void this.channels.load();
      for (const part of [this.securityNotices, this.blocks, this.reading]) part.take(event);
      // The sessions pass the events of channels on, each once and also if it came late.
      if (!("seq" in event.data)) this.calls.take(event);
    });
    this.#open = new OpenChannels(this);
    this.reading = new Reading(this, this.#open);
    // A link may lead to a channel that was created since the list was read.
    this.route.subscribe(() => {
      const route = this.route.get();
      if (route.page === "channel" && this.channelAt(route) === undefined) void this.channels.load();
    });
    // These events reveal a restored network, or a device that wakes up, earlier than a timer does.
    addEventListener("online", () => this.live.open());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState !== "visible") return;
      if (this.live.state === "waiting") this.live.open();
      // No event reports channels the user joined elsewhere, or new public channels.
      else void this.channels.load();
    });
    addEventListener("storage", ({ key }) => {
      if (key === `parley.${CHANGED}`) this.#switchUser();
    });
    this.#firstLoad = setTimeout(() => this.#loadWithoutSocket(), READY_WAIT_MS);
    // The first view need not wait for the socket, after which the list is read again.
    if (isListEarly()) void this.channels.load();
  }

  /** The user's name; null for a guest. */
  get self(): string | null {
    const session = this.session.get();
    return session.state === "user" ? session.user.username : null;
  }

  /** Returns a user's display name, if the page knows one. */
  readonly shownName = (username: string): string | null =>
    this.profiles.get(avatarKey(username))?.display_name ?? null;

  /** Returns the channel that a route shows. */
  channelAt({ page, slug }: Route): Channel | undefined {
    if (page !== "channel") return undefined;
    return slug === null ? this.channels.home() : this.channels.bySlug(slug);
  }

  channelSession(channelId: number): ChannelSession {
    return this.#open.session(channelId);
  }

  /** Shows a channel; the previous one stays subscribed only if the user is a member. */
  show(channel: Channel, route: Route): ChannelSession {
    return this.#open.show(channel, route);
  }

  hide(): void {
    this.#open.hide();
  }

  /** Reloads everything for the current user; call it after a login, registration or logout. */
  changeUser(): void {
    // The browser's other pages share the session.
    writeStored(CHANGED, String(Date.now()));
    this.#switchUser();
  }

  #switchUser(): void {
    globalThis.parleyEarly?.clear();
    this.#forgetOwn();
    this.lacksFactor.set(null);
    this.session.set({ state: "unknown" });
    this.live.reopen();
  }

  async logOut(): Promise<void> {
    const before = this.session.get();
    this.session.set({ state: "unknown" });
    try {
      await this.finish();
      await this.client.accounts.logout();
      await this.calls.push.end();
      this.changeUser();
    } catch (error) {
      this.session.set(before);
      throw error;
    }
  }

  /** Shows an error, in the user's language if there is a text for it. */
  showError(error: unknown): void {
    void this.preferences.errorText(error).then((text) => this.notices.say(text, "error"));
  }

  /** Goes to the direct conversation with a user or an agent, and opens it if needed. */
  async openDirect(kind: ActorKind, name: string): Promise<void> {
    try {
      const { channel } = await this.client.channels.openDirect(kind === "user" ? name : { agent_name: name });
      this.channels.put(channel);
      location.hash = channelHref(channel.channel_slug);
    } catch (error) {
      this.showError(error);
    }
  }

  /** Follows a link from outside the page. The browser reports no change if it leads to the current address. */
  #goTo(hash: string): void {
    if (location.hash === hash) this.route.set(parseRoute(hash));
    else location.hash = hash;
  }

  /** The page can be read where sockets do not get through. */
  #loadWithoutSocket(): void {
    clearTimeout(this.#firstLoad);
    if (this.channels.view.get().state === "loading") void this.channels.load();
  }

  #connectionChanged(state: RealtimeState): void {
    this.connection.set(state);
    if (state === "waiting") this.#loadWithoutSocket();
    const isSessionOver = state === "ended" && this.live.error?.code === "session_over";
    if (state !== "connecting") this.isLost.set(state !== "live" && !isSessionOver);
    if (!isSessionOver) return;
    // A user who logged out needs no notice.
    const wasUser = this.session.get().state === "user";
    if (wasUser) this.notices.say(this.preferences.texts.account.sessionOver, "error");
    this.#switchUser();
  }

  #ready({ epoch, user, second_factor_setup_required }: EventData<"session:ready">): void {
    if (user !== null && second_factor_setup_required === true) {
      clearTimeout(this.#firstLoad);
      this.lacksFactor.set(user.username);
      return;
    }
    const before = this.session.get();
    // It ended while the page had no connection.
    if (before.state === "user" && user === null) this.notices.say(this.preferences.texts.account.sessionOver, "error");
    // Another page of this browser may have changed the user.
    if (before.state === "user" && before.user.username !== user?.username) this.#forgetOwn();
    // After a reconnection with the same user, keep what is shown.
    const isSame =
      user === null
        ? before.state === "guest"
        : before.state === "user" &&
          before.user.username === user.username &&
          before.user.admin_level === user.admin_level;
    if (!isSame) this.session.set(user === null ? { state: "guest" } : { state: "user", user });
    if (this.#epoch !== null && this.#epoch !== epoch) this.#forgetServerData();
    const isFirst = this.#epoch === null;
    this.#epoch = epoch;
    // The user's own events arrive from here on; anything read before may be stale.
    clearTimeout(this.#firstLoad);
    if (isFirst && this.channels.view.get().state === "ready") void firstView(this).then(() => this.channels.load());
    else void this.channels.load();
    if (user !== null) {
      this.entrance.entered();
      this.blocks.load();
      void firstView(this).then(() => this.#loadOwn(user.username));
      this.#inFront.connected();
    } else void this.calls.push.end();
    this.avatars.refresh();
    this.profiles.refresh();
    this.presence.refresh();
  }

  /** Loads what the user has besides the first view. */
  #loadOwn(username: string): void {
    if (this.self !== username) return;
    for (const part of [this.securityNotices, this.calls, this.threads]) part.load();
  }

  /** Discards what belongs to another database epoch or user. */
  #forgetServerData(): void {
    this.channels.forget();
    this.redPackets.forget();
  }

  /** Discards all of the user's own data. */
  #forgetOwn(): void {
    this.#forgetServerData();
    forgetChannels();
    this.draftedFiles.forget();
    const parts = [this.securityNotices, this.blocks, this.calls, this.search, this.threads];
    for (const part of parts) part.forget();
    this.#open.forget();
  }
}
