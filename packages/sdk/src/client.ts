import { AccountCalls } from "./account-calls.ts";
import { AdminCalls } from "./admin-calls.ts";
import { AgentCalls } from "./agent-calls.ts";
import { ChannelCalls } from "./channel-calls.ts";
import { ChannelFeed } from "./channel-feed.ts";
import { ClaimCalls } from "./claim-calls.ts";
import type { FeedOptions } from "./feed-types.ts";
import { Http, type HttpOptions } from "./http.ts";
import { LiveConnection } from "./live.ts";
import type { LiveOptions } from "./live-types.ts";
import { MessageCalls } from "./message-calls.ts";
import { PacketCalls } from "./packet-calls.ts";
import { PaymentCalls } from "./payment-calls.ts";
import { StickerCalls } from "./sticker-calls.ts";

/**
 * A Parley server as seen by one caller: a guest, a user (after `accounts.login`; the session is kept here, in browsers
 * by the browser) or, with an API key, an agent. It has one method per endpoint, in groups.
 */
export class ParleyClient {
  readonly accounts: AccountCalls;
  readonly channels: ChannelCalls;
  readonly messages: MessageCalls;
  readonly stickers: StickerCalls;
  readonly packets: PacketCalls;
  readonly payments: PaymentCalls;
  readonly agents: AgentCalls;
  readonly claims: ClaimCalls;
  readonly admin: AdminCalls;
  readonly #http: Http;

  constructor(options: HttpOptions) {
    this.#http = new Http(options);
    this.accounts = new AccountCalls(this.#http);
    this.channels = new ChannelCalls(this.#http);
    this.messages = new MessageCalls(this.#http);
    this.stickers = new StickerCalls(this.#http);
    this.packets = new PacketCalls(this.#http);
    this.payments = new PaymentCalls(this.#http);
    this.agents = new AgentCalls(this.#http);
    this.claims = new ClaimCalls(this.#http);
    this.admin = new AdminCalls(this.#http);
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

  /** Opens a socket as this caller that reconnects until it is closed. Agents use `agents.events` instead. */
  live(options: LiveOptions = {}): LiveConnection {
    const http = this.#http;
    return new LiveConnection({ url: http.url, credentials: () => http.credentials() }, options);
  }

  /** Follows a channel over a connection of this client: every event in order, once, across disconnects. */
  follow(live: LiveConnection, options: FeedOptions): ChannelFeed {
    return new ChannelFeed({ live, history: (query) => this.messages.history(query) }, options);
  }
}
