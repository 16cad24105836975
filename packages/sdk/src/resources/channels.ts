import type { ChannelCommandsQuery, ChannelCommandsResponse, CommandingAgent } from "@parley/protocol/agent-commands";
import type {
  AgentSession,
  AgentSessionsQuery,
  AgentSessionsResponse,
  StopAgentBody,
  StopAgentResponse,
} from "@parley/protocol/agent-sessions";
import type {
  ChannelIdResponse,
  ChannelResponse,
  CreateChannelBody,
  CreateChannelResponse,
  GuardResponse,
  JoinResponse,
  KeyboardsResponse,
  ListChannelsQuery,
  ListChannelsResponse,
  MarkReadResponse,
  MemberResponse,
  MembersResponse,
  OnlineResponse,
  OpenDirectResponse,
  PageQuery,
  PinsResponse,
  RemovedMemberResponse,
  UpdateChannelBody,
  UpdateChannelResponse,
  UpdateMemberBody,
} from "@parley/protocol/channels";
import type { Channel, ChatMessage, Member, OnlineUser } from "@parley/protocol/models";
import type {
  Ban,
  BanBody,
  BanResponse,
  BansQuery,
  BansResponse,
  LiftedBanResponse,
} from "@parley/protocol/moderation";
import type { PaymentProof } from "@parley/protocol/payments";
import type { ChannelExportQuery } from "@parley/protocol/privacy";
import type { SilencesResponse } from "@parley/protocol/silences";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byOffset, type PagePromise } from "../page.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/** A password, or a payment, that a channel may require. */
export interface JoinFields {
  password?: string | undefined;
  /** The payment for a priced channel. */
  proof?: PaymentProof | undefined;
}

/** Channels and their members (protocol §3). Every method throws `ParleyError`. */
export class Channels {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists the channels that the caller may see; the first page has all of the caller's own. */
  list(query: ListChannelsQuery = {}, options?: RequestOptions): PagePromise<ListChannelsResponse, Channel> {
    const list = {
      items: ({ channels }: ListChannelsResponse) => channels,
      next: ({ next_after_id }: ListChannelsResponse) => (next_after_id === null ? null : { after_id: next_after_id }),
    };
    return this.#http.pages("/api/channels", query, list, options);
  }

  /** Creates a channel once, even if the answer is lost and the call retried. */
  create(body: CreateChannelBody, options: CreateOptions = {}): Promise<CreateChannelResponse> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/channels", body, headers, idempotent: true }, options);
  }

  get(channelId: number, options?: RequestOptions): Promise<ChannelResponse> {
    return this.#http.json({ method: "GET", path: channelPath(channelId) }, options);
  }

  update(channelId: number, body: UpdateChannelBody, options?: RequestOptions): Promise<UpdateChannelResponse> {
    return this.#http.json({ method: "PUT", path: channelPath(channelId), body }, options);
  }

  /** Says what `update` with these limits would delete, and changes nothing (protocol §13.8). */
  dryRun(channelId: number, body: UpdateChannelBody, options?: RequestOptions): Promise<UpdateChannelResponse> {
    return this.#http.json({ method: "PUT", path: channelPath(channelId), query: { dry_run: true }, body }, options);
  }

  delete(channelId: number, options?: RequestOptions): Promise<ChannelIdResponse> {
    return this.#http.json({ method: "DELETE", path: channelPath(channelId) }, options);
  }

  /**
   * Joins a channel; idempotent. If it has a price, a call without `proof` throws a 402 whose `payment` says what to
   * pay. With a proof the caller becomes a member, or gets `payment_pending`: repeat the same call later. Programs with
   * a wallet key can use `payments.fetch` for both.
   */
  join(channelId: number, { password, proof }: JoinFields = {}, options?: RequestOptions): Promise<JoinResponse> {
    const headers: Record<string, string> = proof === undefined ? {} : { "payment-signature": JSON.stringify(proof) };
    const call = { method: "POST", path: `${channelPath(channelId)}/join`, body: { password }, headers } as const;
    return this.#http.json({ ...call, idempotent: true }, options);
  }

  leave(channelId: number, options?: RequestOptions): Promise<ChannelIdResponse> {
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/leave` }, options);
  }

  /** Marks the channel as read up to a seq, or to its newest; the mark never moves back. It also takes back `markUnread`. */
  markRead(channelId: number, seq?: number, options?: RequestOptions): Promise<MarkReadResponse> {
    const body = seq === undefined ? {} : { seq };
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/read`, body, idempotent: true }, options);
  }

  /** Marks the channel as unread from a message on, whatever was read before, until the user reads it again. */
  markUnread(channelId: number, seq: number, options?: RequestOptions): Promise<MarkReadResponse> {
    const path = `${channelPath(channelId)}/unread`;
    return this.#http.json({ method: "POST", path, body: { seq }, idempotent: true }, options);
  }

  /**
   * Returns the conversation with another user or, by `{ agent_name }`, with an agent, and creates it if needed. `leave`
   * hides it from the user's list until a new message arrives.
   */
  openDirect(other: string | { agent_name: string }, options?: RequestOptions): Promise<OpenDirectResponse> {
    const body = typeof other === "string" ? { username: other } : other;
    return this.#http.json({ method: "POST", path: "/api/direct", body, idempotent: true }, options);
  }

  /** Lists users, and agents that were added. */
  members(channelId: number, query: PageQuery = {}, options?: RequestOptions): PagePromise<MembersResponse, Member> {
    const list = { items: ({ members }: MembersResponse) => members, next: byOffset };
    return this.#http.pages(`${channelPath(channelId)}/members`, query, list, options);
  }

  online(channelId: number, query: PageQuery = {}, options?: RequestOptions): PagePromise<OnlineResponse, OnlineUser> {
    const list = { items: ({ users }: OnlineResponse) => users, next: byOffset };
    return this.#http.pages(`${channelPath(channelId)}/online`, query, list, options);
  }

  /** Lists the commands of the agents in a channel that apply to the reader, by agent. */
  commands(
    channelId: number,
    query: ChannelCommandsQuery = {},
    options?: RequestOptions,
  ): PagePromise<ChannelCommandsResponse, CommandingAgent> {
    const list = { items: ({ agents }: ChannelCommandsResponse) => agents, next: byOffset };
    return this.#http.pages(`${channelPath(channelId)}/commands`, query, list, options);
  }

  /** Lists what agents do in the threads of a channel, newest first. */
  sessions(
    channelId: number,
    query: AgentSessionsQuery = {},
    options?: RequestOptions,
  ): PagePromise<AgentSessionsResponse, AgentSession> {
    const list = { items: ({ sessions }: AgentSessionsResponse) => sessions, next: byOffset };
    return this.#http.pages(`${channelPath(channelId)}/sessions`, query, list, options);
  }

  /** Stops what an agent does in a thread, or writes in the channel. Agents cannot call it. */
  stopAgent(channelId: number, body: StopAgentBody, options?: RequestOptions): Promise<StopAgentResponse> {
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/stop`, body, idempotent: true }, options);
  }

  /** Adds or mutes a user or agent, or changes their role. */
  setMember(
    channelId: number,
    name: string,
    body: UpdateMemberBody = {},
    options?: RequestOptions,
  ): Promise<MemberResponse> {
    return this.#http.json({ method: "PUT", path: memberPath(channelId, name), body }, options);
  }

  /** Kicks a user or agent. */
  removeMember(channelId: number, name: string, options?: RequestOptions): Promise<RemovedMemberResponse> {
    return this.#http.json({ method: "DELETE", path: memberPath(channelId, name) }, options);
  }

  /** Bans a user or agent, and ends their subscriptions at once; repeating it replaces `until` and `reason`. */
  ban(channelId: number, body: BanBody, options?: RequestOptions): Promise<BanResponse> {
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/bans`, body, idempotent: true }, options);
  }

  bans(channelId: number, query: BansQuery = {}, options?: RequestOptions): PagePromise<BansResponse, Ban> {
    const list = { items: ({ bans }: BansResponse) => bans, next: byOffset };
    return this.#http.pages(`${channelPath(channelId)}/bans`, query, list, options);
  }

  liftBan(channelId: number, name: string, options?: RequestOptions): Promise<LiftedBanResponse> {
    return this.#http.json(
      { method: "DELETE", path: `${channelPath(channelId)}/bans/${encodeURIComponent(name)}` },
      options,
    );
  }

  /** Returns the message whose keyboard a bot shows to the user, however old it is. */
  keyboards(channelId: number, options?: RequestOptions): Promise<KeyboardsResponse> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/keyboards` }, options);
  }

  /** Lists the pinned messages, newest pin first. */
  pins(channelId: number, options?: RequestOptions): PagePromise<PinsResponse, ChatMessage> {
    const list = { items: ({ messages }: PinsResponse) => messages };
    return this.#http.pages(`${channelPath(channelId)}/pins`, {}, list, options);
  }

  /** Returns how close agents are to the loop guard's limit (protocol §5). */
  guard(channelId: number, options?: RequestOptions): Promise<GuardResponse> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/guard` }, options);
  }

  /** Returns which agents of a channel cannot answer now, and why (protocol §5). */
  silences(channelId: number, options?: RequestOptions): Promise<SilencesResponse> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/silences` }, options);
  }

  clearGuard(channelId: number, options?: RequestOptions): Promise<GuardResponse> {
    return this.#http.json({ method: "DELETE", path: `${channelPath(channelId)}/guard` }, options);
  }

  /**
   * Exports the channel as text: one `ChannelExportLine` per line, or a `ChannelExport`. An export without `complete:
   * true` at its end was cut off.
   */
  export(
    channelId: number,
    query: ChannelExportQuery = {},
    options?: RequestOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream({ method: "GET", path: `${channelPath(channelId)}/export`, query }, options);
  }
}

const channelPath = (channelId: number): string => `/api/channels/${channelId}`;
const memberPath = (channelId: number, name: string): string =>
  `${channelPath(channelId)}/members/${encodeURIComponent(name)}`;
