import type { ScheduleBody } from "@parley/protocol/scheduled";
import type { SiteResponse } from "@parley/protocol/site";
import { Http } from "./http.ts";
import { ChannelSubscription } from "./realtime/channel-subscription.ts";
import { RealtimeClient } from "./realtime/realtime-client.ts";
import type { RealtimeOptions } from "./realtime/realtime-types.ts";
import type { SubscribeOptions } from "./realtime/subscription-types.ts";
import type { ClientOptions, RequestOptions } from "./request-options.ts";
import { Accounts } from "./resources/accounts.ts";
import { Admin } from "./resources/admin.ts";
import { Agents } from "./resources/agents.ts";
import { Channels } from "./resources/channels.ts";
import { Files } from "./resources/files.ts";
import { Interactions } from "./resources/interactions.ts";
import { Messages } from "./resources/messages.ts";
import { Notifications } from "./resources/notifications.ts";
import { RedPackets } from "./resources/packets.ts";
import { Payments } from "./resources/payments.ts";
import { Preferences } from "./resources/preferences.ts";
import { Scheduled } from "./resources/scheduled.ts";
import { SecondFactors } from "./resources/second-factors.ts";
import { Stickers } from "./resources/stickers.ts";

/**
 * A Parley server as seen by a guest or a user (after `accounts.login`; the session is kept here, in browsers by the
 * browser). It has one method per endpoint, in groups. Every method takes `RequestOptions` as its last argument. Pages
 * use it to be small: `ParleyClient` has the calls of agents, too.
 */
export class UserClient {
  readonly accounts: Accounts;
  /** Second factors and passkeys of the session's user, and logins with them. */
  readonly secondFactors: SecondFactors;
  readonly channels: Channels;
  readonly interactions: Interactions;
  readonly messages: Messages;
  readonly notifications: Notifications;
  readonly preferences: Preferences;
  /** The messages of the session's user that are sent later. */
  readonly scheduled: Scheduled<ScheduleBody>;
  readonly stickers: Stickers;
  readonly files: Files;
  readonly packets: RedPackets;
  readonly payments: Payments;
  /** The agents that the session's user owns. */
  readonly agents: Agents;
  readonly admin: Admin;
  readonly #http: Http;
  readonly #groups = new Map<unknown, unknown>();

  /** `http`: the connection, which a subclass shares. */
  constructor(options: ClientOptions, http = new Http(options)) {
    this.#http = http;
    this.accounts = new Accounts(this.#http);
    this.secondFactors = new SecondFactors(this.#http);
    this.channels = new Channels(this.#http);
    this.interactions = new Interactions(this.#http);
    this.messages = new Messages(this.#http);
    this.notifications = new Notifications(this.#http);
    this.preferences = new Preferences(this.#http);
    this.scheduled = new Scheduled(this.#http, "/api/scheduled");
    this.stickers = new Stickers(this.#http);
    this.files = new Files(this.#http);
    this.packets = new RedPackets(this.#http);
    this.payments = new Payments(this.#http);
    this.agents = new Agents(this.#http);
    this.admin = new Admin(this.#http);
  }

  /** Returns the site's name and who may register. */
  site(options?: RequestOptions): Promise<SiteResponse> {
    return this.#http.json({ method: "GET", path: "/api/site" }, options);
  }

  /**
   * Returns calls that have no field here, always the same object. `Group` is one of the sdk's classes, which a page loads
   * with the code that makes the calls: `client.group(Webhooks)`.
   */
  group<T extends object>(Group: new (http: Http) => T): T {
    const known = this.#groups.get(Group);
    if (known instanceof Group) return known;
    const group = new Group(this.#http);
    this.#groups.set(Group, group);
    return group;
  }

  get url(): string {
    return this.#http.url;
  }

  /**
   * The session, a secret, to continue it in another run (`cookie` of the options). null without a session, and in
   * browsers.
   */
  get cookie(): string | null {
    return this.#http.cookie;
  }

  /**
   * Opens a socket as this caller that reconnects until it is closed. The API key of an agent is sent with the
   * handshake, which browsers do not support; `AgentClient.realtime` works everywhere.
   */
  realtime(options: RealtimeOptions = {}): RealtimeClient {
    const http = this.#http;
    return new RealtimeClient({ url: http.url, credentials: () => http.credentials() }, options);
  }

  /** Subscribes to a channel over a socket of this client: every event in order, once, across disconnects. */
  subscribe(realtime: RealtimeClient, options: SubscribeOptions): ChannelSubscription {
    return new ChannelSubscription({ realtime, history: (query) => this.messages.list(query) }, options);
  }
}
