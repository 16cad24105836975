import type { ErrorCode } from "@parley/protocol/errors";
import type { RateName } from "@parley/protocol/limits";
import type { Static, TSchema } from "typebox";
import type { AppContext } from "../context.ts";
import type { Identity } from "./identity.ts";
import type { UploadedFile } from "./multipart.ts";
import type { Right } from "./rights.ts";

/**
 * Who may call a route at all. What the caller may do to the object is decided by the service (`rights`).
 * - `open`: no credential is looked at.
 * - `visitor`: a person's session is used when one is sent; an `Authorization` header is not looked at.
 * - `guest`: a session or an API key is used when one is sent; none is fine unless PARLEY_GUEST_READ is off, else 401 `session_required`.
 * - `anyone`: the same, and none is always fine: the request brings what it needs, a payment.
 * - `session`: a person's session, else 401 `session_required`.
 * - `agent`: an API key, else 401 `missing_api_key`.
 * - `member`: a session or an API key, else 401 `session_required`.
 */
export type Auth = "open" | "visitor" | "guest" | "anyone" | "session" | "agent" | "member";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** What each kind of route knows of its caller. */
export interface IdentityOf {
  open: Identity;
  visitor: Exclude<Identity, { kind: "agent" }>;
  guest: Identity;
  anyone: Identity;
  session: Extract<Identity, { kind: "user" }>;
  agent: Extract<Identity, { kind: "agent" }>;
  member: Exclude<Identity, { kind: "guest" }>;
}

type Decoded<S extends TSchema | undefined> = S extends TSchema ? Static<S> : undefined;

/** A request that has passed every check of the pipeline. */
export interface Call<
  A extends Auth,
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
> {
  ctx: AppContext;
  caller: IdentityOf[A];
  params: Decoded<P>;
  query: Decoded<Q>;
  body: Decoded<B>;
  /** The file of a route with `upload`; others have none. */
  file: UploadedFile;
  /** The client's address (behind trusted proxies: the one they report). */
  address: string;
  requestId: string;
  request: Request;
  /** Headers of the answer; `set-cookie` may be appended more than once. */
  headers: Headers;
}

/** What a handler may give back: a plain body (status of the route), ready JSON text, or a whole Response (bytes, streams). */
export type Answer = object | ReadyJson | Response;

/** A body that is serialised already, with its status. */
export class ReadyJson {
  readonly json: string;
  readonly status: number;
  constructor(json: string, status: number) {
    this.json = json;
    this.status = status;
  }
}

export interface RouteSpec<
  A extends Auth,
  P extends TSchema | undefined,
  Q extends TSchema | undefined,
  B extends TSchema | undefined,
> {
  method: Method;
  /** Bun's form: `/api/messages/:messageId`. */
  path: string;
  summary: string;
  tag: string;
  auth: A;
  /** The acts of the rights table (protocol §1) that this route does. */
  rights: Right | readonly Right[];
  params?: P;
  query?: Q;
  body?: B;
  /** Body limit in bytes; `BODY_BYTES` when absent. */
  bodyBytes?: number;
  /**
   * The body is multipart/form-data: one file, in the part called `field`, besides the texts that `body` describes. `missing` is the code
   * for a form without it; `mediaType` is for the document.
   */
  upload?: { field: string; missing: ErrorCode; mediaType: string; description: string };
  /** A missing body is read as {} (logout, join). */
  bodyOptional?: boolean;
  /**
   * The code for a field that is missing or wrong, by its name: `{content: "content_required"}`. `{content: ["content_required",
   * "message_too_long"]}` tells missing (or empty) from wrong. Fields not named answer `invalid_request` with details.
   */
  invalid?: Record<string, ErrorCode | readonly [missing: ErrorCode, wrong: ErrorCode]>;
  /** Body fields that exist but cannot be written: 400 `field_not_writable`. */
  readOnly?: readonly string[];
  /** Policies taken before the body is looked at, besides the caller's general one: by address or by identity. */
  rates?: readonly { policy: RateName; by: "address" | "identity" }[];
  /** Status of a plain body; 200 when absent. */
  status?: 200 | 201;
  /** Schemas of the successful answers, by status. Every body also has `success: true`. */
  answers: Partial<Record<200 | 201 | 204 | 304, TSchema>>;
  /** Codes this route answers besides those every route may (the pipeline's own are added by the document). */
  errors: readonly ErrorCode[];
  /** A GET that changes something by being asked: HEAD passes every check, and then the handler is not called. */
  hasEffect?: boolean;
  /** Honour `Idempotency-Key` (creating POSTs that are not sends). */
  idempotent?: boolean;
  /** Headers of the request that its handler reads, for the document. */
  reads?: readonly { name: string; required: boolean; description: string }[];
  /** An answer other than JSON: its media type, for the document. */
  mediaType?: string;
  handle(call: Call<A, P, Q, B>): Answer | Promise<Answer>;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of routes has every shape of call; each was checked where it was declared.
export type Route = RouteSpec<any, any, any, any>;

/** Declares a route. Types of params, query and body follow from its schemas. */
export function route<
  A extends Auth,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(spec: RouteSpec<A, P, Q, B>): Route {
  return spec;
}
