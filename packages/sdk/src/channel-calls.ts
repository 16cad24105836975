import type {
  ChannelAnswer,
  ChannelIdAnswer,
  CreateChannelAnswer,
  CreateChannelBody,
  GuardAnswer,
  JoinAnswer,
  ListChannelsAnswer,
  ListChannelsQuery,
  MarkReadAnswer,
  MemberAnswer,
  MembersAnswer,
  OnlineAnswer,
  OpenDirectAnswer,
  PageQuery,
  PinsAnswer,
  RemovedMemberAnswer,
  UpdateChannelAnswer,
  UpdateChannelBody,
  UpdateMemberBody,
} from "@parley/protocol/channels";
import type { BanAnswer, BanBody, BansAnswer, BansQuery, LiftedBanAnswer } from "@parley/protocol/moderation";
import type { PaymentProof } from "@parley/protocol/payments";
import type { ChannelExportQuery } from "@parley/protocol/privacy";
import type { ChannelRecord } from "@parley/protocol/records";
import type { Http } from "./http.ts";
import { newKey } from "./keys.ts";

/** Channels and their members (protocol §3). Every method throws `ParleyError`. */
export class ChannelCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Returns a page of the channels that the caller may see; the first page has all of the caller's own. Pass
   * `next_after_id` as `after_id`.
   */
  list(query: ListChannelsQuery = {}): Promise<ListChannelsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/channels", query });
  }

  /** Yields all channels that the caller may see, their own first; fetches each page on demand. */
  async *all(): AsyncGenerator<ChannelRecord, void, undefined> {
    let page = await this.list();
    for (;;) {
      yield* page.channels;
      if (page.next_after_id === null) return;
      page = await this.list({ after_id: page.next_after_id });
    }
  }

  /** Creates a channel once, even if the answer is lost and the call retried. */
  create(body: CreateChannelBody): Promise<CreateChannelAnswer> {
    const headers = { "idempotency-key": newKey() };
    return this.#http.json({ method: "POST", path: "/api/channels", body, headers, repeatable: true });
  }

  get(channelId: number): Promise<ChannelAnswer> {
    return this.#http.json({ method: "GET", path: channelPath(channelId) });
  }

  update(channelId: number, body: UpdateChannelBody): Promise<UpdateChannelAnswer> {
    return this.#http.json({ method: "PUT", path: channelPath(channelId), body });
  }

  delete(channelId: number): Promise<ChannelIdAnswer> {
    return this.#http.json({ method: "DELETE", path: channelPath(channelId) });
  }

  /**
   * Joins a channel; idempotent. If it has a price, a call without `proof` throws a 402 whose `payment` says what to
   * pay. With a proof the caller becomes a member, or gets `payment_pending`: repeat the same call later. Programs with
   * a wallet key can use `payments.fetch` for both.
   */
  join(channelId: number, password?: string, proof?: PaymentProof): Promise<JoinAnswer> {
    const body = { password };
    const headers: Record<string, string> = proof === undefined ? {} : { "payment-signature": JSON.stringify(proof) };
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/join`, body, headers, repeatable: true });
  }

  leave(channelId: number): Promise<ChannelIdAnswer> {
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/leave` });
  }

  /** Marks the channel as read up to a seq, or to its newest; the mark never moves back. */
  markRead(channelId: number, seq?: number): Promise<MarkReadAnswer> {
    const body = seq === undefined ? {} : { seq };
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/read`, body, repeatable: true });
  }

  /**
   * Returns the conversation with another user and creates it if needed. `leave` hides it from the user's list until a
   * new message arrives.
   */
  openDirect(username: string): Promise<OpenDirectAnswer> {
    return this.#http.json({ method: "POST", path: "/api/direct", body: { username }, repeatable: true });
  }

  /** Lists users, and agents that were added. */
  members(channelId: number, query: PageQuery = {}): Promise<MembersAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/members`, query });
  }

  online(channelId: number, query: PageQuery = {}): Promise<OnlineAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/online`, query });
  }

  /** Adds or mutes a user or agent, or changes their role. */
  setMember(channelId: number, name: string, body: UpdateMemberBody = {}): Promise<MemberAnswer> {
    return this.#http.json({ method: "PUT", path: memberPath(channelId, name), body });
  }

  /** Kicks a user or agent. */
  removeMember(channelId: number, name: string): Promise<RemovedMemberAnswer> {
    return this.#http.json({ method: "DELETE", path: memberPath(channelId, name) });
  }

  /** Bans a user or agent, and ends their subscriptions at once; repeating it replaces `until` and `reason`. */
  ban(channelId: number, body: BanBody): Promise<BanAnswer> {
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/bans`, body, repeatable: true });
  }

  bans(channelId: number, query: BansQuery = {}): Promise<BansAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/bans`, query });
  }

  liftBan(channelId: number, name: string): Promise<LiftedBanAnswer> {
    return this.#http.json({ method: "DELETE", path: `${channelPath(channelId)}/bans/${encodeURIComponent(name)}` });
  }

  /** Lists the pinned messages, newest pin first. */
  pins(channelId: number): Promise<PinsAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/pins` });
  }

  /** Returns how close agents are to the loop guard's limit (protocol §5). */
  guard(channelId: number): Promise<GuardAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/guard` });
  }

  clearGuard(channelId: number): Promise<GuardAnswer> {
    return this.#http.json({ method: "DELETE", path: `${channelPath(channelId)}/guard` });
  }

  /**
   * Exports the channel as text: one `ChannelExportLine` per line, or a `ChannelExport`. An export without `complete:
   * true` at its end was cut off.
   */
  export(channelId: number, query: ChannelExportQuery = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#http.stream({ method: "GET", path: `${channelPath(channelId)}/export`, query });
  }
}

const channelPath = (channelId: number): string => `/api/channels/${channelId}`;
const memberPath = (channelId: number, name: string): string =>
  `${channelPath(channelId)}/members/${encodeURIComponent(name)}`;
