import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as keysFetch } from "jose";
import * as oidc from "openid-client";
import type { Config } from "../../config/config.ts";
import { type AppContext, perServer } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { Timing } from "../../timing.ts";
import { providerFetch } from "./provider-fetch.ts";

/** How long a discovery document is used. It is refreshed in the background, and kept while the provider is away. */
const FRESH_MS = 3_600_000;
/** After a failure, logins are refused at once for this long: a provider that is away must not be asked by each. */
const RETRY_MS = 5_000;
const TIMEOUT_SECONDS = 10;

/** The settings of the provider; the start checks that they are complete. */
export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** A provider whose discovery document was read. */
export interface Provider {
  settings: ProviderSettings;
  client: oidc.Configuration;
  /** Its signing keys, for logout tokens. */
  keys: JWTVerifyGetKey;
}

/**
 * Returns the provider in the settings.
 * @throws oidc_disabled without one
 */
export function providerSettings({ oidcIssuer, oidcClientId, oidcClientSecret }: Config): ProviderSettings {
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) throw fail("oidc_disabled");
  return { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret };
}

/** Returns the name of the provider for the login button; null without a provider. */
export const providerName = ({ oidcIssuer, oidcName }: Config): string | null =>
  oidcIssuer === null ? null : (oidcName ?? new URL(oidcIssuer).host);

/** The provider's documents, as this server last read them. */
class Directory {
  readonly #ctx: AppContext;
  #found: { provider: Provider; at: number } | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<Provider> | null = null;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  async get(): Promise<Provider> {
    const now = this.#ctx.clock.monotonic();
    const mayAsk = now - this.#failedAt >= RETRY_MS;
    if (this.#found === null) {
      if (!mayAsk) throw fail("oidc_failed");
      return this.#load();
    }
    // A failure is in the log; the document in use stays valid.
    if (now - this.#found.at >= FRESH_MS && mayAsk) this.#load().catch(() => {});
    return this.#found.provider;
  }

  /** Reads the documents once for all who wait. @throws oidc_failed */
  #load(): Promise<Provider> {
    this.#loading ??= readProvider(this.#ctx.config, this.#ctx.timing)
      .then((provider) => {
        this.#found = { provider, at: this.#ctx.clock.monotonic() };
        return provider;
      })
      .catch((error: unknown) => {
        this.#failedAt = this.#ctx.clock.monotonic();
        throw providerFailed(this.#ctx, error, "the OpenID Connect provider cannot be read");
      })
      .finally(() => {
        this.#loading = null;
      });
    return this.#loading;
  }
}

const directory = perServer((ctx) => new Directory(ctx));

/**
 * Returns the provider with its addresses and keys.
 * @throws oidc_disabled, oidc_failed (it does not answer, or not as itself)
 */
export async function findProvider(ctx: AppContext): Promise<Provider> {
  providerSettings(ctx.config);
  return directory(ctx).get();
}

/**
 * Returns an issuer of the settings as its provider writes it: settings have a slash after a bare host, which most documents
 * leave out. Returns it unchanged if the provider is not, or no longer, the one in the settings, or cannot be read.
 */
export async function issuerOfDocument(ctx: AppContext, issuer: string): Promise<string> {
  if (issuer !== ctx.config.oidcIssuer) return issuer;
  try {
    return (await findProvider(ctx)).client.serverMetadata().issuer;
  } catch (error) {
    if (error instanceof AppError) return issuer;
    throw error;
  }
}

/** Asks the provider for its addresses now. Rejects with why it cannot be used. */
export async function readProvider(config: Config, timing: Timing): Promise<Provider> {
  const ask = providerFetch(timing);
  const settings = providerSettings(config);
  const { issuer, clientId, clientSecret } = settings;
  const client = await oidc.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
    timeout: TIMEOUT_SECONDS,
    [oidc.customFetch]: ask,
    // The signature is checked although the token comes from the provider itself.
    execute: [oidc.enableNonRepudiationChecks, ...(issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : [])],
  });
  const { issuer: named, jwks_uri } = client.serverMetadata();
  // The library lets some hosts name a template; it could stand for other people's tenants.
  if (new URL(named).href !== issuer) throw new Error(`the provider names another issuer: ${named}`);
  if (jwks_uri === undefined) throw new Error("the provider names no keys");
  const keys = createRemoteJWKSet(new URL(jwks_uri), { [keysFetch]: ask });
  return { settings, client, keys };
}

/** Sends the secret in the way that the provider accepts; the default of the standard is `Basic`. */
function authentication(secret: string): oidc.ClientAuth {
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const way = methods.includes("client_secret_basic") ? oidc.ClientSecretBasic : oidc.ClientSecretPost;
    way(secret)(server, client, body, headers);
  };
}

/** Logs why the provider failed, for the operator, and returns the error for the user, which does not say it. */
export function providerFailed(ctx: AppContext, error: unknown, what: string) {
  const { message, code, cause } = error as Error & { code?: string };
  const reason = cause instanceof Error ? cause.message : undefined;
  ctx.log.warn({ reason: message, code, cause: reason, ...refusal(error) }, what);
  return fail("oidc_failed", { cause: error });
}

/** The provider's own words for a refusal, such as `invalid_client`. */
function refusal(error: unknown): { error?: string; description?: string | undefined } {
  if (!(error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError)) return {};
  return { error: error.error.slice(0, 100), description: error.error_description?.slice(0, 300) };
}
