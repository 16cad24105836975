import { PASSWORD_MAX } from "@parley/protocol/limits";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { Gate } from "../gate.ts";
import { commonPasswords } from "./common-passwords.ts";
import { PASSWORD_THREADS, PasswordThreads } from "./password-threads.ts";

const QUEUE_MAX = 32;
/** What one hash costs here, roughly; only used to tell a refused caller when to come back. */
const HASHES_PER_SECOND = 10;

/** The hash of a password nobody knows: verifying against it makes an unknown name cost what a known one costs. */
const NOBODYS_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$e5FPBnhTFvHJ+Kvsmed8L44HowkhUKI38V6S2rANip4$upY5UMm4QbW/2uMzvwTxiG0cbfYMPwKDgO9M5+zHGP0";

const gate = perServer(
  ({ metrics }) =>
    new Gate({
      atOnce: PASSWORD_THREADS,
      queueMax: QUEUE_MAX,
      retryAfter: QUEUE_MAX / HASHES_PER_SECOND,
      onLength: (length) => metrics.hashQueueIs(length),
    }),
);

const threads = perServer((ctx) => {
  const made = new PasswordThreads();
  ctx.onClose(() => made.end());
  return made;
});

/** One spelling for what looks the same on every keyboard: a password typed on a Mac must open on Windows. */
const normal = (password: string): string => password.normalize("NFC");

/**
 * Hashes a password (users' and channels' alike) for storage. Never call it inside `transact`: a hash takes tens of milliseconds.
 * `goesFirst`: for a live session, which strangers at the door must not delay.
 * @throws overloaded
 */
export function hashPassword(ctx: AppContext, password: string, goesFirst = false): Promise<string> {
  return gate(ctx).run(() => threads(ctx).hash(normal(password)), goesFirst);
}

/** Watches guesses at one thing. Both run in the guess's own turn, so that of many at once each sees those before it. */
export interface GuessGuard {
  /** True for a known browser or a live session: their guesses go before those of strangers, who may be many. */
  readonly goesFirst?: boolean;
  /** May throw: then nothing is tried. */
  before(): void;
  after(matches: boolean): void;
}

/**
 * Is this the password of that hash? Without a hash (no such user, no password) the answer is false and the cost the same, so
 * that time tells nothing. Never call it inside `transact`.
 * @throws overloaded, and what the guard throws
 */
export function verifyPassword(
  ctx: AppContext,
  password: string,
  hash: string | null,
  guard?: GuessGuard,
): Promise<boolean> {
  return gate(ctx).run(async () => {
    guard?.before();
    // No stored password is longer, or empty (which Bun would answer without hashing): hash something else, and refuse.
    const text = normal(password);
    const possible = text.length > 0 && [...text].length <= PASSWORD_MAX;
    const matches = await threads(ctx).verify(possible ? text : "impossible", hash ?? NOBODYS_HASH);
    const right = matches && possible && hash !== null;
    guard?.after(right);
    return right;
  }, guard?.goesFirst);
}

/**
 * The rules for a new password of a user (protocol §1). Length is counted in characters, not bytes. The commonest ones
 * are refused in production only, so that a trial may use `password`.
 * @throws weak_password
 */
export function checkNewPassword(ctx: AppContext, password: string, username: string): void {
  const { passwordMin, profile } = ctx.config;
  const length = [...normal(password)].length;
  if (length < passwordMin || length > PASSWORD_MAX) {
    throw fail("weak_password", {
      message: `A password has ${passwordMin} to ${PASSWORD_MAX} characters.`,
      details: { min_length: passwordMin, max_length: PASSWORD_MAX },
    });
  }
  if (profile === "production" && isCommonPassword(password, username)) {
    throw fail("weak_password", {
      message: "This password is among the first ones anybody would try.",
      details: { reason: "common" },
    });
  }
}

/** Would a guesser try this first? Case and what is appended to a name do not count for much: `Parley123` is as common as `parley`. */
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
