import type { AppContext } from "../context.ts";
import type { RateDecision } from "../rate-limit/rate-limiter.ts";
import { actingFor, rightsNow } from "./acts/act.ts";
import type { Asking } from "./admission.ts";
import type { Envelope } from "./answers/respond.ts";
import type { UploadedFile } from "./body/multipart.ts";
import { GUEST, type Identity } from "./identity.ts";

/** A request as Bun's router passes it. */
export type RoutedRequest = Request & { params?: Record<string, string> };

/** The state of one request while it passes the checks. */
export class Exchange implements Envelope, Asking {
  readonly requestId: string;
  readonly request: RoutedRequest;
  caller: Identity = GUEST;
  private = false;
  rate: RateDecision | undefined;
  /** True inside another request, which has counted against the caller's general limit. */
  readonly isCounted: boolean;
  extra: Headers | undefined;
  params: unknown;
  query: unknown;
  body: unknown;
  bodyText = "";
  isLengthKnown = false;
  ctx: AppContext;
  #file: UploadedFile | undefined;
  /** Taken before the caller is identified. */
  readonly #since: number;
  readonly #readAddress: () => string;
  #address: string | undefined;

  constructor(
    ctx: AppContext,
    request: RoutedRequest,
    requestId: string,
    readAddress: () => string,
    isCounted = false,
  ) {
    this.isCounted = isCounted;
    this.ctx = ctx;
    this.#since = rightsNow(ctx);
    this.request = request;
    this.requestId = requestId;
    this.#readAddress = readAddress;
  }

  /** Read from the socket on demand: a known caller is counted by account instead. */
  get address(): string {
    this.#address ??= this.#readAddress();
    return this.#address;
  }

  /** Notes the caller. From now on the request changes things only while the caller has the right to change them. */
  actFor(caller: Identity): void {
    this.caller = caller;
    this.private = caller.kind !== "guest";
    // A GET changes nothing, except that it may pay.
    if (this.request.method !== "GET" || this.request.headers.has("payment-signature"))
      this.ctx = actingFor(this.ctx, caller, this.#since);
  }

  get file(): UploadedFile {
    if (this.#file === undefined) throw new Error("A route without `upload` has no file.");
    return this.#file;
  }

  set file(file: UploadedFile) {
    this.#file = file;
  }

  /** Headers of the response, created on first use. */
  get headers(): Headers {
    this.extra ??= new Headers();
    return this.extra;
  }

  /** Adds names to `X-Ignored`: fields or parameters that were sent and have no meaning here. */
  ignore(names: string): void {
    const others = this.headers.get("x-ignored");
    this.headers.set("x-ignored", others === null ? names : `${others},${names}`);
  }
}
