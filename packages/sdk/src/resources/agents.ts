import type { AgentSession, AgentSessionsQuery, AgentSessionsResponse } from "@parley/protocol/agent-sessions";
import type { AgentProfileResponse } from "@parley/protocol/agents";
import type { BudgetsResponse, PutBudgetsBody, UsageQuery, UsageResponse } from "@parley/protocol/budgets";
import type {
  AgentResponse,
  CreateAgentBody,
  CreateAgentResponse,
  OwnedAgent,
  OwnedAgentsQuery,
  OwnedAgentsResponse,
  UpdateAgentBody,
} from "@parley/protocol/claims";
import type { AgentTelegramResponse } from "@parley/protocol/inbox";
import type {
  AgentSetupCodeBody,
  LookAtSetupCodeResponse,
  SetupCodeBody,
  SetupCodeResponse,
} from "@parley/protocol/setup-codes";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byOffset, type PagePromise } from "../page.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/** Creates agents, and changes those of the session's user (protocol §5). Every method throws `ParleyError`. */
export class Agents {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists the session user's agents, newest first. */
  list(query: OwnedAgentsQuery = {}, options?: RequestOptions): PagePromise<OwnedAgentsResponse, OwnedAgent> {
    const list = { items: ({ agents }: OwnedAgentsResponse) => agents, next: byOffset };
    return this.#http.pages("/api/agents", query, list, options);
  }

  /** Lists what agents do in the channels that the caller belongs to, newest first; to an agent also what it does elsewhere. */
  sessions(query: AgentSessionsQuery = {}, options?: RequestOptions): PagePromise<AgentSessionsResponse, AgentSession> {
    const list = { items: ({ sessions }: AgentSessionsResponse) => sessions, next: byOffset };
    return this.#http.pages("/api/agents/sessions", query, list, options);
  }

  /**
   * Creates an agent with its name and first key, once, even if the answer is lost and the call retried. Then `api_key`
   * is null: get a new key with `claims.rotate`. For administrators, who send `current_password` when their login is
   * older than 10 minutes.
   */
  create(body: CreateAgentBody, options: CreateOptions = {}): Promise<CreateAgentResponse> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/agents", body, headers, idempotent: true }, options);
  }

  /** Makes a code that one of the session user's agents exchanges for a key, once and within 10 minutes. */
  setupCode(agentId: number, body: AgentSetupCodeBody = {}, options?: RequestOptions): Promise<SetupCodeResponse> {
    return this.#http.json({ method: "POST", path: `/api/agents/${agentId}/setup-codes`, body }, options);
  }

  /**
   * The same for an agent by its name, which is held if nobody has it: the agent is then made when the code is exchanged. A
   * member makes agents of their own; administrators any, and send `current_password` when their login is old.
   */
  setupCodeByName(body: SetupCodeBody, options?: RequestOptions): Promise<SetupCodeResponse> {
    return this.#http.json({ method: "POST", path: "/api/agents/setup-codes", body }, options);
  }

  /** Returns what a setup code would give, without using it. Anybody with the code may call it. */
  lookAtSetupCode(code: string, options?: RequestOptions): Promise<LookAtSetupCodeResponse> {
    return this.#http.json({ method: "POST", path: "/api/agenthub/setup/look", body: { code } }, options);
  }

  /** Returns what everybody may know about an agent. Errors: `agent_not_found`. */
  profile(agentName: string, options?: RequestOptions): Promise<AgentProfileResponse> {
    return this.#http.json({ method: "GET", path: `/api/agent/${encodeURIComponent(agentName)}` }, options);
  }

  /** Rejects an agent's keys until `resume`. */
  pause(agentId: number, options?: RequestOptions): Promise<AgentResponse> {
    return this.update(agentId, { paused: true }, options);
  }

  resume(agentId: number, options?: RequestOptions): Promise<AgentResponse> {
    return this.update(agentId, { paused: false }, options);
  }

  /** Pauses or resumes an agent, or sets the users who may have direct conversations with it (`dm_policy`), or what its Telegram bots hear. */
  update(agentId: number, body: UpdateAgentBody, options?: RequestOptions): Promise<AgentResponse> {
    return this.#http.json({ method: "PUT", path: `/api/agents/${agentId}`, body, idempotent: true }, options);
  }

  /** Returns what a bot that was made for Telegram needs besides a key: its number, and the root of the addresses. */
  telegram(agentId: number, options?: RequestOptions): Promise<AgentTelegramResponse> {
    return this.#http.json({ method: "GET", path: `/api/agents/${agentId}/telegram` }, options);
  }

  /** Returns the limits of an agent's spending, what it has used and what is left. */
  budgets(agentId: number, options?: RequestOptions): Promise<BudgetsResponse> {
    return this.#http.json({ method: "GET", path: `/api/agents/${agentId}/budgets` }, options);
  }

  /** Changes the limits that are given; null removes one. Staff sets `ceilings`. */
  setBudgets(agentId: number, body: PutBudgetsBody, options?: RequestOptions): Promise<BudgetsResponse> {
    return this.#http.json({ method: "PUT", path: `/api/agents/${agentId}/budgets`, body, idempotent: true }, options);
  }

  /** Returns what an agent sent, reported and paid, by day or by channel. */
  usage(agentId: number, query: UsageQuery = {}, options?: RequestOptions): Promise<UsageResponse> {
    return this.#http.json({ method: "GET", path: `/api/agents/${agentId}/usage`, query }, options);
  }

  /** Removes the session's user as owner of an agent. */
  disown(agentId: number, options?: RequestOptions): Promise<AgentResponse> {
    return this.#http.json({ method: "DELETE", path: `/api/agents/${agentId}/owner` }, options);
  }
}
