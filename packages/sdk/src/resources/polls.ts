import type {
  AgentCreatePollBody,
  CreatePollBody,
  CreatePollResponse,
  PollResponse,
} from "@parley/protocol/poll-calls";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/** Polls of the calling user or agent (protocol §13.7). Every method throws `ParleyError`. */
export class Polls<Body extends CreatePollBody | AgentCreatePollBody> {
  readonly #http: Http;
  readonly #path: string;

  constructor(http: Http, path = "/api/polls") {
    this.#http = http;
    this.#path = path;
  }

  /** Makes a poll, once: a retry has the same `client_msg_id`. */
  create(body: Body, options: CreateOptions = {}): Promise<CreatePollResponse> {
    const client_msg_id = body.client_msg_id ?? options.idempotencyKey ?? newIdempotencyKey();
    const request = { method: "POST", path: this.#path, body: { ...body, client_msg_id }, idempotent: true } as const;
    return this.#http.json(request, options);
  }

  /** Sets what the session's user chooses; an empty list withdraws. Agents do not vote. */
  vote(pollId: number, optionIds: readonly number[], options?: RequestOptions): Promise<PollResponse> {
    const body = { option_ids: optionIds };
    return this.#http.json({ method: "PUT", path: `/api/polls/${pollId}/vote`, body, idempotent: true }, options);
  }

  /** Closes a poll. Idempotent. */
  close(pollId: number, options?: RequestOptions): Promise<PollResponse> {
    const path = `/api/polls/${pollId}/close`;
    return this.#http.json({ method: "POST", path, body: {}, idempotent: true }, options);
  }
}
