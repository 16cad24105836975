import { CHALLENGE_SECONDS, type PasskeyBody, type PasskeyLoginBody } from "@parley/protocol/factors";
import type { AppContext } from "../../context.ts";
import { type AppError, fail } from "../../errors.ts";
import { siteName } from "../../site/site.ts";
import { insertChallenge, type PasskeyRow, takeChallenge } from "./passkeys.store.ts";
import type { RelyingParty } from "./relying-party.ts";

/** The library is loaded at the first use: most servers start without it. */
const webauthn = () => import("@simplewebauthn/server");

/** Challenges stored at once. The limits of callers keep their number far below. */
const CHALLENGES_MAX = 50_000;
const LIFETIME_MS = CHALLENGE_SECONDS * 1_000;
/** EdDSA, ES256 and RS256. The library's own list depends on what the runtime can verify, and nodes may differ. */
const ALGORITHMS = [-8, -7, -257];

/** The id under which authenticators keep a user's passkeys. It tells nothing about the user. */
export const userHandle = (userId: number): Uint8Array<ArrayBuffer> => new TextEncoder().encode(`user ${userId}`);

/** Stores a new challenge in the caller's transaction and returns its bytes. */
async function newChallenge(ctx: AppContext, userId: number | null): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(ctx.clock.random(32));
  const now = ctx.clock.now();
  const row = { challenge: Buffer.from(bytes).toString("base64url"), user_id: userId, expires_at: now + LIFETIME_MS };
  await insertChallenge(ctx.db, row, CHALLENGES_MAX, now);
  return bytes;
}

/** Returns what a browser needs to make a passkey, and stores its challenge in the caller's transaction. */
export async function creationOptions(
  ctx: AppContext,
  party: RelyingParty,
  user: { userId: number; username: string },
  existing: readonly PasskeyRow[],
): Promise<object> {
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    rpName: await siteName(ctx),
    rpID: party.id,
    userID: userHandle(user.userId),
    userName: user.username,
    userDisplayName: user.username,
    challenge: await newChallenge(ctx, user.userId),
    timeout: LIFETIME_MS,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: existing.map((row) => ({ id: row.credential_id, transports: JSON.parse(row.transports) })),
    // A login asks for no name, so the authenticator must store the passkey with the user.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Returns what a browser needs for a login. It names no passkey, so it tells nobody who has one. */
export async function requestOptions(ctx: AppContext, party: RelyingParty): Promise<object> {
  const { generateAuthenticationOptions } = await webauthn();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: await newChallenge(ctx, null),
    timeout: LIFETIME_MS,
    userVerification: "required",
  });
}

/** Uses up the challenge that a credential signs. `userId`: who adds a passkey; null: a login. @throws challenge_expired */
async function takeSigned(ctx: AppContext, clientDataJSON: string, userId: number | null): Promise<string> {
  const challenge = challengeIn(clientDataJSON);
  const isOurs = challenge !== null && (await takeChallenge(ctx.db, challenge, userId, ctx.clock.now()));
  if (!isOurs) throw fail("challenge_expired", { message: "This took too long, or was done already. Begin again." });
  return challenge;
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    return typeof challenge === "string" ? challenge : null;
  } catch {
    return null; // Not JSON: a credential without a challenge.
  }
}

/** A passkey as it is stored. */
export type NewPasskey = Pick<PasskeyRow, "credential_id" | "public_key" | "counter" | "transports" | "is_synced">;

/**
 * Checks a new passkey.
 * @throws challenge_expired, passkey_rejected
 */
export async function checkNewPasskey(
  ctx: AppContext,
  party: RelyingParty,
  userId: number,
  { response, ...rest }: PasskeyBody["credential"],
): Promise<NewPasskey> {
  const expectedChallenge = await takeSigned(ctx, response.clientDataJSON, userId);
  const { transports = [], ...signed } = response;
  const checked = await verdictOf(ctx, async () => {
    await assertNoCertificates(response.attestationObject);
    const { verifyRegistrationResponse } = await webauthn();
    return verifyRegistrationResponse({
      response: { ...rest, authenticatorAttachment: undefined, clientExtensionResults: {}, response: signed },
      expectedChallenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
  });
  if (!checked.verified) throw rejected();
  const { credential, credentialBackedUp } = checked.registrationInfo;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: JSON.stringify(transports),
    is_synced: credentialBackedUp ? 1 : 0,
  };
}

/**
 * Refuses attestations with certificates. None is asked for, and browsers remove them; the library would request the
 * revocation lists that they name, which are addresses of the caller's choice.
 */
async function assertNoCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, "base64url")));
  const format = decoded.get("fmt");
  if (format !== "none" && (format !== "packed" || decoded.get("attStmt").get("x5c") !== undefined))
    throw new Error(`attestation of the format ${String(format)}`);
}

/**
 * Uses up the challenge of a login by passkey, and returns what checks the login against the passkey it names.
 * @throws challenge_expired
 */
export async function beginCheck(
  ctx: AppContext,
  party: RelyingParty,
  { response, ...rest }: PasskeyLoginBody["credential"],
): Promise<(passkey: PasskeyRow) => Promise<{ counter: number; isSynced: boolean }>> {
  const expectedChallenge = await takeSigned(ctx, response.clientDataJSON, null);
  return async (passkey) => {
    // An authenticator that finds a passkey by itself always says whose it is.
    if (response.userHandle !== Buffer.from(userHandle(passkey.user_id)).toString("base64url")) throw rejected();
    const { verifyAuthenticationResponse } = await webauthn();
    const { verified, authenticationInfo } = await verdictOf(ctx, () =>
      verifyAuthenticationResponse({
        response: {
          ...rest,
          authenticatorAttachment: undefined,
          clientExtensionResults: {},
          response: { ...response, userHandle: response.userHandle ?? undefined },
        },
        expectedChallenge,
        expectedOrigin: party.origin,
        expectedRPID: party.id,
        requireUserVerification: true,
        credential: {
          id: passkey.credential_id,
          publicKey: Uint8Array.from(Buffer.from(passkey.public_key, "base64url")),
          counter: passkey.counter,
        },
      }),
    );
    if (!verified) throw rejected();
    return { counter: authenticationInfo.newCounter, isSynced: authenticationInfo.credentialBackedUp };
  };
}

/** Runs a check of the library, which throws for all that is wrong with a credential. @throws passkey_rejected */
async function verdictOf<T>(ctx: AppContext, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (err) {
    ctx.log.info({ err }, "a passkey was rejected");
    throw rejected(err);
  }
}

const rejected = (cause?: unknown): AppError => fail("passkey_rejected", cause === undefined ? {} : { cause });
