import { PASSWORD_MAX } from "@parley/protocol/limits";
import { ConcurrencyLimiter } from "../../base/concurrency-limiter.ts";
import type { MaybePromise } from "../../base/maybe-promise.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import { commonPasswords } from "./common-passwords.ts";
import { PASSWORD_THREADS, type PasswordHasher, PasswordThreads } from "./password-threads.ts";

const QUEUE_MAX = 32;
/** Approximate rate of hashing; only used for `Retry-After`. */
const HASHES_PER_SECOND = 10;

/** The hash of an unknown password: verifying against it makes an unknown name as slow as a known one. */
const NOBODYS_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$e5FPBnhTFvHJ+Kvsmed8L44HowkhUKI38V6S2rANip4$upY5UMm4QbW/2uMzvwTxiG0cbfYMPwKDgO9M5+zHGP0";

const limiter = perServer(
  ({ metrics }) =>
    new ConcurrencyLimiter({
      concurrency: PASSWORD_THREADS,
      queueMax: QUEUE_MAX,
      retryAfter: QUEUE_MAX / HASHES_PER_SECOND,
      onLength: (length) => metrics.hashQueueIs(length),
    }),
);

const hasher = perServer((ctx): { used: PasswordHasher } => {
  const threads = new PasswordThreads();
  ctx.onClose(() => threads.end());
  return { used: threads };
});

/** Hashes this server's passwords in another way. Only for tests, which would spend much of their time hashing. */
export function hashWith(ctx: AppContext, other: PasswordHasher): void {
  hasher(ctx).used = other;
}

/**
 * Normalizes what different keyboards produce for the same characters: a password typed on a Mac must work on Windows.
 */
const normal = (password: string): string => password.normalize("NFC");

/**
 * Hashes a password of a user or a channel. Never call it inside `transact`: a hash takes tens of milliseconds.
 * `goesFirst` gives priority to live sessions over anonymous logins.
 * @throws overloaded
 */
export function hashPassword(ctx: AppContext, password: string, goesFirst = false): Promise<string> {
  return slowly(ctx, "hash", () => limiter(ctx).run(() => hasher(ctx).used.hash(normal(password)), goesFirst));
}

/**
 * Checks guesses at one password. Both callbacks run in the guess's own turn, so that each guess sees the results of
 * those before it.
 */
export interface GuessGuard {
  /** True for a known browser or a live session: their guesses have priority over those of strangers. */
  readonly goesFirst?: boolean;
  /** May throw, which cancels the guess. */
  before(): MaybePromise<void>;
  after(matches: boolean): MaybePromise<void>;
}

/**
 * Returns true if the password matches the hash. Without a hash (no such user, no password) the result is false and the
 * cost the same, so that the timing reveals nothing. Never call it inside `transact`.
 * @throws overloaded, and the errors of the guard
 */
export function verifyPassword(
  ctx: AppContext,
  password: string,
  hash: string | null,
  guard?: GuessGuard,
): Promise<boolean> {
  return slowly(ctx, "hash", () => limiter(ctx).run(() => verify(ctx, password, hash, guard), guard?.goesFirst));
}

async function verify(ctx: AppContext, password: string, hash: string | null, guard?: GuessGuard): Promise<boolean> {
  await guard?.before();
  // A stored password is neither longer nor empty (Bun answers an empty one without hashing): hash something else,
  // and refuse.
  const text = normal(password);
  const possible = text.length > 0 && [...text].length <= PASSWORD_MAX;
  const matches = await hasher(ctx).used.verify(possible ? text : "impossible", hash ?? NOBODYS_HASH);
  const right = matches && possible && hash !== null;
  await guard?.after(right);
  return right;
}

/**
 * Checks a user's new password (protocol §1). Length is counted in characters, not bytes. Common passwords are only
 * refused in production, so that a trial may use `password`.
 * @throws weak_password
 */
export function checkNewPassword(ctx: AppContext, password: string, username: string): void {
  const { passwordMin, profile } = ctx.config;
  const length = [...normal(password)].length;
  if (length < passwordMin || length > PASSWORD_MAX) {
    throw fail("weak_password", {
      message: `A password must have ${passwordMin} to ${PASSWORD_MAX} characters.`,
      details: { min_length: passwordMin, max_length: PASSWORD_MAX },
    });
  }
  if (profile === "production" && isCommonPassword(password, username)) {
    throw fail("weak_password", {
      message: "This password is too common. Choose another.",
      details: { reason: "common" },
    });
  }
}

/**
 * Returns true for passwords that are guessed first. Case and characters appended to a name are ignored: `Parley123` is
 * as common as `parley`.
 */
export function isCommonPassword(password: string, username: string): boolean {
  const text = normal(password).toLowerCase();
  const common = commonPasswords();
  if (common.has(text) || common.has(text.replace(/[^\p{L}\p{N}]+$/u, ""))) return true; // password, password!!
  if (new Set(text).size <= 2) return true; // aaaaaaaa, abababab
  const stem = text.replace(/[^\p{L}]+$/u, "");
  return [username.toLowerCase(), "parley"].some(
    (name) => text === name || text === name + name || (name.length >= 4 && stem === name),
  );
}
