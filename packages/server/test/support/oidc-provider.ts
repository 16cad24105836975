import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider, { type Configuration, type InteractionResults } from "oidc-provider";
import { CALLBACK } from "../../src/accounts/oidc/login.ts";
import type { Config } from "../../src/config/config.ts";

export const CLIENT_ID = "parley";
const SECRET_WORD = "a-secret-of-the-provider";
export const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** An account at the provider: its subject and its other claims. */
export type Account = { sub: string } & Record<string, unknown>;

/** Answers a request to the provider in its place; undefined: the provider answers. */
type Tamper = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

/**
 * An OpenID Connect provider (oidc-provider) in this process, whose current account logs in without a question. Tests
 * change its answers with `tamper`.
 */
export class TestProvider implements AsyncDisposable {
  readonly issuer: string;
  /** The account that logs in next; null: the person refuses. */
  account: Account | null = { sub: "ann" };
  tamper: Tamper = () => false;
  /** Paths of the requests so far. */
  readonly asked: string[] = [];
  readonly #server: ReturnType<typeof createServer>;
  readonly #provider: Provider;
  readonly #accounts = new Map<string, Account>();
  readonly #key: CryptoKey;

  private constructor(server: ReturnType<typeof createServer>, key: CryptoKey, jwk: object) {
    this.#server = server;
    this.#key = key;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#provider = new Provider(this.issuer, this.#settings(jwk));
    // The port of the server is not known yet.
    Object.defineProperty(this.#provider.Client.prototype, "redirectUriAllowed", {
      value: (address: string) => address.endsWith(CALLBACK),
    });
    const answer = this.#provider.callback();
    server.on("request", async (request, response) => {
      this.asked.push(request.url ?? "");
      if (await this.tamper(request, response)) return;
      if (request.url?.startsWith("/interaction/")) await this.#interact(request, response);
      else await answer(request, response);
    });
  }

  static async start(): Promise<TestProvider> {
    const { privateKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: "one", use: "sig", alg: "RS256" };
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TestProvider(server, privateKey, jwk);
  }

  /** The settings of a Parley server that uses this provider. */
  settings(more: Partial<Config> = {}): Partial<Config> {
    const oidcIssuer = new URL(this.issuer).href;
    return { oidcIssuer, oidcClientId: CLIENT_ID, oidcClientSecret: SECRET_WORD, oidcName: "Example", ...more };
  }

  /** Signs a token as the provider does, or with another key. */
  sign(
    claims: JWTPayload,
    key: CryptoKey | Uint8Array = this.#key,
    header: { alg: string; typ?: string } = { alg: "RS256" },
  ): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ kid: "one", ...header }).sign(key);
  }

  /** The claims of a logout token. */
  logoutClaims(more: JWTPayload = {}): JWTPayload {
    const iat = Math.floor(Date.now() / 1000);
    const events = { [LOGOUT_EVENT]: {} };
    return { iss: this.issuer, aud: CLIENT_ID, iat, exp: iat + 120, jti: crypto.randomUUID(), events, ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #settings(jwk: object): Configuration {
    return {
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: SECRET_WORD,
          redirect_uris: [`https://parley.test${CALLBACK}`],
          backchannel_logout_uri: "https://parley.test/api/auth/oidc/backchannel-logout",
          backchannel_logout_session_required: true,
        },
      ],
      jwks: { keys: [jwk] },
      cookies: { keys: ["a key of the provider's cookies"] },
      claims: {
        openid: ["sub", "sid"],
        profile: ["preferred_username", "groups"],
        email: ["email", "email_verified"],
      },
      features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, id) => ({ accountId: id, claims: () => this.#accounts.get(id) ?? { sub: id } }),
      ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    };
  }

  /** Logs the current account in, and consents to everything. */
  async #interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider;
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const finish = (result: InteractionResults) => provider.interactionFinished(request, response, result);
    if (this.account === null) return finish({ error: "access_denied", error_description: "the person said no" });
    if (prompt.name === "login") {
      this.#accounts.set(this.account.sub, this.account);
      return finish({ login: { accountId: this.account.sub } });
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    return finish({ consent: { grantId: await grant.save() } });
  }
}
