import type { LoginResponse, MessageResponse } from "@parley/protocol/accounts";
import type {
  ConfirmBody,
  Passkey,
  PasskeyBody,
  PasskeyLoginBody,
  PasskeyLoginOptionsResponse,
  PasskeyLoginResponse,
  PasskeyOptionsResponse,
  PasskeyResponse,
  PasskeysResponse,
  RecoveryCodesResponse,
  SecondFactorBody,
  SecondFactorStateResponse,
  TotpResponse,
} from "@parley/protocol/factors";
import type { Http } from "../http.ts";
import type { PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

/** Second factors and passkeys (protocol §13.9). Every method throws `ParleyError`; all that wait for a person throw a 429 at once. */
export class SecondFactors {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Completes a login that threw `second_factor_required`, with its `details.challenge_id`. Errors: `wrong_code`, which
   * says how many tries are left, and `challenge_expired`.
   */
  answer(body: SecondFactorBody, options?: RequestOptions): Promise<LoginResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/second-factor", body, noWait: true }, options);
  }

  /** Returns which factors the user has, and whether the server requires one. */
  state(options?: RequestOptions): Promise<SecondFactorStateResponse> {
    return this.#http.json({ method: "GET", path: "/api/auth/second-factor" }, options);
  }

  /** Begins to set up an authenticator app, and returns its secret. Errors: `totp_enabled`, `reauth_required`. */
  beginApp(body: ConfirmBody = {}, options?: RequestOptions): Promise<TotpResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/totp", body, noWait: true }, options);
  }

  /** Turns the app on with its first code, and returns the recovery codes. Errors: `wrong_code`, `totp_setup_expired`. */
  confirmApp(code: string, options?: RequestOptions): Promise<RecoveryCodesResponse> {
    const body = { code };
    return this.#http.json({ method: "POST", path: "/api/auth/totp/confirm", body, noWait: true }, options);
  }

  removeApp(body: ConfirmBody = {}, options?: RequestOptions): Promise<MessageResponse> {
    return this.#http.json({ method: "DELETE", path: "/api/auth/totp", body, noWait: true }, options);
  }

  /** Replaces the recovery codes. */
  renewRecoveryCodes(body: ConfirmBody = {}, options?: RequestOptions): Promise<RecoveryCodesResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/recovery-codes", body, noWait: true }, options);
  }

  /** Lists the user's passkeys, newest first. */
  passkeys(options?: RequestOptions): PagePromise<PasskeysResponse, Passkey> {
    const list = { items: ({ passkeys }: PasskeysResponse) => passkeys };
    return this.#http.pages("/api/auth/passkeys", {}, list, options);
  }

  /** Returns what the browser needs to make a passkey: the input of `PublicKeyCredential.parseCreationOptionsFromJSON`. */
  passkeyOptions(body: ConfirmBody = {}, options?: RequestOptions): Promise<PasskeyOptionsResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/passkeys/options", body, noWait: true }, options);
  }

  /** Adds the passkey that the browser has made. Errors: `passkey_rejected`, `passkey_exists`, `passkey_limit_reached`. */
  addPasskey(body: PasskeyBody, options?: RequestOptions): Promise<PasskeyResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/passkeys", body, noWait: true }, options);
  }

  renamePasskey(passkeyId: number, name: string, options?: RequestOptions): Promise<PasskeyResponse> {
    return this.#http.json({ method: "PUT", path: passkeyPath(passkeyId), body: { name }, idempotent: true }, options);
  }

  removePasskey(passkeyId: number, body: ConfirmBody = {}, options?: RequestOptions): Promise<MessageResponse> {
    return this.#http.json({ method: "DELETE", path: passkeyPath(passkeyId), body, noWait: true }, options);
  }

  /** Returns what the browser needs for a login by passkey: the input of `PublicKeyCredential.parseRequestOptionsFromJSON`. */
  passkeyLoginOptions(options?: RequestOptions): Promise<PasskeyLoginOptionsResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/passkeys/login-options", noWait: true }, options);
  }

  /** Logs in by passkey: later calls of this client are made as that user. Errors: `passkey_rejected`. */
  loginByPasskey(body: PasskeyLoginBody, options?: RequestOptions): Promise<PasskeyLoginResponse> {
    return this.#http.json({ method: "POST", path: "/api/auth/passkeys/login", body, noWait: true }, options);
  }
}

const passkeyPath = (passkeyId: number): string => `/api/auth/passkeys/${passkeyId}`;
