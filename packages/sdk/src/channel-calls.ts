import type {
  ChannelAnswer,
  ChannelIdAnswer,
  CreateChannelAnswer,
  CreateChannelBody,
  GuardAnswer,
  JoinAnswer,
  ListChannelsAnswer,
  ListChannelsQuery,
  MemberAnswer,
  MembersAnswer,
  OnlineAnswer,
  PageQuery,
  PinsAnswer,
  RemovedMemberAnswer,
  UpdateChannelAnswer,
  UpdateChannelBody,
  UpdateMemberBody,
} from "@parley/protocol/channels";
import type { Http } from "./http.ts";
import { newKey } from "./keys.ts";

/** Channels and who is in them (contract, section 3). Every method throws `ParleyError`. */
export class ChannelCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** All channels one may see; a page of them when `limit` or `offset` is given. */
  list(query: ListChannelsQuery = {}): Promise<ListChannelsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/channels", query });
  }

  /** Creates a channel once, also when the answer is lost and the call repeated. */
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

  /** Joining again changes nothing. */
  join(channelId: number, password?: string): Promise<JoinAnswer> {
    const body = { password };
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/join`, body, repeatable: true });
  }

  leave(channelId: number): Promise<ChannelIdAnswer> {
    return this.#http.json({ method: "POST", path: `${channelPath(channelId)}/leave` });
  }

  /** Users, and agents that were added. */
  members(channelId: number, query: PageQuery = {}): Promise<MembersAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/members`, query });
  }

  online(channelId: number, query: PageQuery = {}): Promise<OnlineAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/online`, query });
  }

  /** Adds a user or agent, changes a role, mutes. */
  setMember(channelId: number, name: string, body: UpdateMemberBody = {}): Promise<MemberAnswer> {
    return this.#http.json({ method: "PUT", path: memberPath(channelId, name), body });
  }

  /** Kicks a user or agent. */
  removeMember(channelId: number, name: string): Promise<RemovedMemberAnswer> {
    return this.#http.json({ method: "DELETE", path: memberPath(channelId, name) });
  }

  /** The pinned messages, newest pin first. */
  pins(channelId: number): Promise<PinsAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/pins` });
  }

  /** How far agents are from the loop guard (contract, section 5). */
  guard(channelId: number): Promise<GuardAnswer> {
    return this.#http.json({ method: "GET", path: `${channelPath(channelId)}/guard` });
  }

  clearGuard(channelId: number): Promise<GuardAnswer> {
    return this.#http.json({ method: "DELETE", path: `${channelPath(channelId)}/guard` });
  }
}

const channelPath = (channelId: number): string => `/api/channels/${channelId}`;
const memberPath = (channelId: number, name: string): string =>
  `${channelPath(channelId)}/members/${encodeURIComponent(name)}`;
