import type { ChannelFeed } from "@parley/sdk/channel-feed";
import { ParleyClient } from "@parley/sdk/client";
import type { ParleyError } from "@parley/sdk/errors";
import type { FeedEvent, PassingEvent } from "@parley/sdk/feed-types";
import { newKey } from "@parley/sdk/keys";
import type { LiveConnection } from "@parley/sdk/live";
import type { LiveState } from "@parley/sdk/live-types";
import { Composer } from "./composer.ts";
import { byId } from "./dom.ts";
import { LoginDialog, reasonOf } from "./login-dialog.ts";
import { MessagesPane } from "./messages-pane.ts";
import { PeoplePane } from "./people-pane.ts";
import { TypingLine } from "./typing-line.ts";

const BACKLOG = 50;
const STATES: Record<LiveState, string> = {
  connecting: "connecting",
  live: "live",
  waiting: "reconnecting",
  ended: "offline",
};

/** The page: one channel, live. */
export class App {
  readonly #client: ParleyClient;
  readonly #live: LiveConnection;
  readonly #messages: MessagesPane;
  readonly #people: PeoplePane;
  readonly #composer: Composer;
  readonly #login: LoginDialog;
  readonly #typing = new TypingLine();
  readonly #channels = byId("channel", HTMLSelectElement);
  readonly #account = byId("account", HTMLButtonElement);
  readonly #state = byId("state", HTMLSpanElement);
  readonly #notice = byId("notice", HTMLParagraphElement);
  #feed: ChannelFeed | null = null;
  /** Who has just logged in wants to write. */
  #hasLoggedIn = false;
  #slug = new URL(location.href).searchParams.get("channel") ?? "general";

  constructor(url: string) {
    this.#client = new ParleyClient({ url });
    this.#live = this.#client.live();
    this.#messages = new MessagesPane((before) => this.#earlier(before));
    this.#people = new PeoplePane(() => void this.#readPeople());
    this.#login = new LoginDialog(this.#client, () => {
      this.#hasLoggedIn = true;
      this.#changeUser();
    });
    this.#composer = new Composer({
      send: (text) => this.#send(text, newKey(), false),
      typing: () => void this.#live.command("typing:start", { channel_slug: this.#slug }).catch(() => {}),
      logIn: () => this.#login.open(),
    });
  }

  start(): void {
    this.#live.onState((state) => this.#showState(state));
    this.#live.onEvent(({ event }) => {
      if (event === "session:ready") this.#showUser();
    });
    // The network knows earlier than a timer that it is back.
    addEventListener("online", () => this.#live.open());
    addEventListener("popstate", () => this.#follow(new URL(location.href).searchParams.get("channel") ?? "general"));
    this.#channels.onchange = () => {
      history.pushState(null, "", `?channel=${encodeURIComponent(this.#channels.value)}`);
      this.#follow(this.#channels.value);
    };
    this.#account.onclick = () => void this.#logInOrOut();
    this.#showUser();
    this.#follow(this.#slug);
  }

  /** Shows another channel, or the same one anew. */
  #follow(slug: string): void {
    this.#feed?.close();
    this.#slug = slug;
    this.#messages.clear();
    this.#typing.clear();
    this.#people.show([], 0, 0);
    this.#say("");
    void this.#readChannels();
    this.#feed = this.#client.follow(this.#live, {
      channel: slug,
      backlog: BACKLOG,
      onEvent: (event) => this.#take(event),
      onPassing: (event) => this.#pass(event),
      onJoined: ({ channel, users, count, guest_count }) => {
        this.#people.show(users, count, guest_count);
        this.#showChannel(channel);
      },
      onBegun: ({ hasOlder }) => this.#messages.loaded(hasOlder),
      onPaged: () => this.#say("You were away for long: older messages may have changed meanwhile."),
      onReset: () => this.#messages.clear(),
      onEnded: (error) => this.#ended(error),
    });
  }

  #take(event: FeedEvent): void {
    switch (event.event) {
      case "message:new": {
        const { chat_message } = event.data;
        this.#messages.add(chat_message);
        this.#typing.set(chat_message.username ?? "", false);
        break;
      }
      case "message:update":
        this.#messages.update(event.data.chat_message);
        break;
      case "message:delete":
        this.#messages.change(event.data.message_id, { is_deleted: true, content: "", mentions: [] });
        break;
      case "message:pin":
      case "message:unpin":
        this.#messages.change(event.data.message_id, { is_pinned: event.data.is_pinned });
        break;
      case "channel:update":
        this.#showChannel(event.data.channel);
        break;
    }
  }

  #pass(event: PassingEvent): void {
    if (event.event === "user:list") this.#people.change(event.data);
    else if (event.event === "typing" && event.data.name !== this.#live.user?.username) {
      this.#typing.set(event.data.name, event.data.typing);
    }
  }

  #ended(error: ParleyError): void {
    if (error.code === "session_over") {
      // One goes on as a guest.
      this.#live.open();
      this.#follow(this.#slug);
      this.#say("Your session is over. Log in again to talk.");
    } else if (error.code !== "connection_closed") this.#say(reasonOf(error));
  }

  #send(text: string, client_msg_id: string, isShown: boolean): void {
    if (!isShown) this.#messages.sending(client_msg_id, text, () => this.#send(text, client_msg_id, true));
    this.#live
      .send({ channel_slug: this.#slug, content: text, client_msg_id })
      .catch((error: unknown) => this.#messages.failed(client_msg_id, reasonOf(error)));
  }

  async #earlier(before: number) {
    const page = await this.#client.messages.history({ channel_id: this.#slug, before, limit: BACKLOG });
    return { messages: page.messages, more: page.has_more };
  }

  async #logInOrOut(): Promise<void> {
    if (this.#live.user === null) {
      this.#login.open();
      return;
    }
    try {
      await this.#client.accounts.logout();
      this.#changeUser();
    } catch (error) {
      this.#say(reasonOf(error));
    }
  }

  #changeUser(): void {
    this.#live.reopen();
    this.#follow(this.#slug);
  }

  #showUser(): void {
    const me = this.#live.user?.username ?? null;
    this.#messages.me = me;
    this.#account.textContent = me === null ? "Log in" : "Log out";
    this.#account.title = me === null ? "" : `Logged in as ${me}`;
    this.#composer.show(me, `#${this.#slug}`);
    if (me !== null && (this.#hasLoggedIn || document.activeElement === document.body)) this.#composer.focus();
    this.#hasLoggedIn = false;
  }

  #showState(state: LiveState): void {
    this.#state.textContent = STATES[state];
    this.#state.dataset.state = state;
  }

  #showChannel({ name, topic }: { name: string; topic: string | null }): void {
    byId("topic", HTMLParagraphElement).textContent = topic ?? "";
    document.title = `${name} · Parley`;
  }

  async #readChannels(): Promise<void> {
    const { channels } = await this.#client.channels.list().catch(() => ({ channels: [] }));
    const slugs = new Set([...channels.map(({ channel_slug }) => channel_slug), this.#slug]);
    this.#channels.replaceChildren(
      ...[...slugs].map((slug) => new Option(`# ${slug}`, slug, false, slug === this.#slug)),
    );
  }

  async #readPeople(): Promise<void> {
    const id = this.#feed?.channelId;
    if (id === undefined || id === null) return;
    const list = await this.#client.channels.online(id, { limit: 200 }).catch(() => null);
    if (list !== null && id === this.#feed?.channelId) this.#people.show(list.users, list.count, list.guest_count);
  }

  /** A line above the composer; empty: none. */
  #say(text: string): void {
    this.#notice.textContent = text;
    this.#notice.hidden = text === "";
  }
}
