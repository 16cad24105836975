import type { ErrorCode } from "@parley/protocol/errors";
import type { RateName } from "@parley/protocol/limits";
import type { Static, TSchema } from "typebox";
import type { AppContext } from "../context.ts";
import type { AppError } from "../errors.ts";
import type { UploadedFile } from "./body/multipart.ts";
import type { Identity } from "./identity.ts";
import type { NeededScope } from "./key-scopes.ts";
import type { Right } from "./rights.ts";

/**
 * The credentials a route accepts. The service decides what the caller may do to the object.
 * - `open`: reads no credential.
 * - `visitor`: uses a user's session if one is sent; ignores an `Authorization` header.
 * - `guest`: uses a session or an API key if one is sent; none is accepted unless PARLEY_GUEST_READ is off, then 401
 *   `session_required`.
 * - `anyone`: the same, but none is always accepted: the request carries a payment instead.
 * - `session`: a user's session, else 401 `session_required`.
 * - `agent`: an API key, else 401 `missing_api_key`.
 * - `member`: a session or an API key, else 401 `session_required`.
 */
export type Auth = "open" | "visitor" | "guest" | "anyone" | "session" | "agent" | "member";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The identities that each kind of route can have. */
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
  /** The file of a route with `upload`; absent in others. */
  file: UploadedFile;
  /** The client's address (behind trusted proxies: the one they report). */
  address: string;
  requestId: string;
  request: Request;
  /** Headers of the answer; `set-cookie` may be appended more than once. */
  headers: Headers;
}

/**
 * The result of a handler: a plain body (with the route's status), serialized JSON, or a whole Response (bytes,
 * streams).
 */
export type Answer = object | ReadyJson | Response;

/** A serialized body, with its status. */
export class ReadyJson {
  readonly json: string;
  readonly status: number;
  /** The compressed body, once a client has asked for it. */
  gzipped?: Uint8Array<ArrayBuffer>;
  /** True if its garbage was counted: an answer that is kept and sent again leaves little more. */
  isCounted?: boolean;
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
  /**
   * The operation's name in the OpenAPI document, like the method of the sdk. Generated clients have methods of these
   * names, so a name never changes.
   */
  name: string;
  method: Method;
  /** The path in Bun's syntax: `/api/messages/:messageId`. */
  path: string;
  summary: string;
  tag: string;
  auth: A;
  /**
   * The scope that an API key needs, on a route that agents can call; `any`: nothing. A key with limits is refused where it is
   * missing; a test fails, too.
   */
  scope?: NeededScope;
  /**
   * The acts of the rights table (protocol §1) that this route performs, for the API document and the test of rights.
   * The pipeline does not check them: the service decides who may perform them.
   */
  documentedActs: Right | readonly Right[];
  params?: P;
  query?: Q;
  body?: B;
  /** Body limit in bytes; default `BODY_BYTES`. */
  bodyBytes?: number;
  /**
   * The body is multipart/form-data: one file, in the part called `field`, and the texts that `body` describes.
   * `missing` is the code for a form without it; `mediaType` is for the document.
   */
  upload?: {
    field: string;
    missing: ErrorCode;
    mediaType: string;
    description: string;
    /** The handler reads the body itself, piece by piece, with its own limits; `body` is for the document. */
    isStreamed?: boolean;
  };
  /** A missing body is read as {} (logout, join). */
  bodyOptional?: boolean;
  /**
   * The code for a missing or wrong field, by its name: `{content: "content_required"}`. `{content:
   * ["content_required", "message_too_long"]}` distinguishes missing (or empty) from wrong. The fields of a
   * list's items have paths such as `messages.*.message`. Other fields get `invalid_request` with details.
   */
  invalid?: Record<string, ErrorCode | readonly [missing: ErrorCode, wrong: ErrorCode]>;
  /** Body fields that are read-only: 400 `field_not_writable`. */
  readOnly?: readonly string[];
  /** True if calls of identified callers do not count against their general limit: `rates` or that on frames limits them. */
  isUncounted?: boolean;
  /** True if users may call it who must set up a second factor first (PARLEY_REQUIRE_2FA). */
  beforeSecondFactor?: boolean;
  /** Policies applied before the body is read, in addition to the caller's general one: by address or by identity. */
  rates?: readonly { policy: RateName; by: "address" | "identity" }[];
  /** Status of a plain body; default 200. */
  status?: 200 | 201;
  /**
   * Schemas of the answers other than errors with a code, by status. Every JSON body also has `success: true`. Parts of
   * files are 206, and 416 if there is no such part.
   */
  answers: Partial<Record<200 | 201 | 202 | 204 | 206 | 302 | 304 | 416, TSchema>>;
  /** Codes specific to this route (the document adds those of the pipeline). */
  errors: readonly ErrorCode[];
  /** A GET with a side effect: HEAD passes every check, but the handler is not called. */
  hasEffect?: boolean;
  /** Honors `Idempotency-Key` (creating POSTs other than sends). */
  idempotent?: boolean;
  /**
   * Fields of an idempotent route of which nothing is stored, no hash either. In the answer to a repetition they are
   * null; those of the body do not count when bodies are compared. The handler returns a plain body.
   */
  secrets?: readonly string[];
  /**
   * Checks that must precede the transaction of an idempotent handler, such as a password: hashing takes long, and a
   * failure is counted. Runs on repetitions, too.
   */
  confirm?(call: Call<A, P, Q, B>): Promise<void>;
  /** `WWW-Authenticate` of every 401; default: `Bearer`, if a key was sent. */
  challenge?: string;
  /** Headers of the request that its handler reads, for the document. */
  reads?: readonly { name: string; required: boolean; description: string }[];
  /** The media type of the bodies of `answers` other than JSON; `image/*`: one that the content decides. */
  mediaType?: string;
  /** Other bodies, by status and media type: forms that the caller can ask for, and errors without a code. */
  otherForms?: Partial<Record<number, Readonly<Record<string, TSchema>>>>;
  handle(call: Call<A, P, Q, B>): Answer | Promise<Answer>;
  /** Of a protocol that is not Parley's own. */
  door?: Door;
}

/** The steps that differ in a protocol that is not Parley's own. */
export interface Door {
  /** Returns the caller, whose credential is not in the usual header. Throws the errors of a bad credential. */
  identify(ctx: AppContext, request: Request): Identity | Promise<Identity>;
  /** Returns the answer of a call that the pipeline refuses. */
  refusal(error: AppError): Response;
  /** Changes the headers of every answer. */
  leave(headers: Headers): void;
}

/**
 * The terms on which an operation admits its callers (http/admission.ts). Its twin on the socket takes them from the
 * route.
 */
export type Terms = Pick<Route, "documentedActs" | "scope" | "rates" | "isUncounted" | "beforeSecondFactor"> & {
  readonly auth: Auth;
};

// biome-ignore lint/suspicious/noExplicitAny: a list of routes has every shape of call; each was checked where it was declared.
export type Route = RouteSpec<any, any, any, any>;

/** Returns the route of this name. Throws if the product has none: whoever names it is wrong. */
export function routeNamed(all: readonly Route[], name: string): Route {
  const found = all.find((route) => route.name === name);
  if (found === undefined) throw new Error(`There is no route ${name}`);
  return found;
}

/** Declares a route. The types of params, query and body follow from its schemas. */
export function route<
  A extends Auth,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(spec: RouteSpec<A, P, Q, B>): Route {
  return spec;
}
