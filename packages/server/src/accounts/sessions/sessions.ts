import type { MailLanguage } from "@parley/protocol/mail";
import { LRUCache } from "lru-cache";
import { andThen, type MaybePromise } from "../../base/maybe-promise.ts";
import type { Config } from "../../config/config.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import { readCookie, setCookie } from "../../http/cookies.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { honorLevel } from "../../points/score.ts";
import { onControl, onControlLost, publishControl } from "../../realtime/control/control.ts";
import { requiresFactor } from "../ways-in.ts";
import { holdAbsentUser, NO_SESSION } from "./absent-user.ts";
import { noteSeen } from "./last-seen.ts";
import * as store from "./sessions.store.ts";
import { holdSession } from "./sessions.store.ts";

const DAY = 86_400_000;
/** Protocol §1: a session ends after 7 idle days, and at the latest 30 days after its login. */
export const SESSION_IDLE_MS = 7 * DAY;
export const SESSION_MAX_MS = 30 * DAY;
/** The minimum interval between writes of `last_seen_at`. The same write detects a session whose end was missed. */
const TOUCH_MS = 60_000;
/** The maximum number of cached sessions; reading a cached one needs no SQL. */
const CACHE_MAX = 50_000;
/**
 * Clients that log in for every call would otherwise add rows without limit; the least recently used are removed first.
 */
const SESSIONS_PER_USER = 100;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface Entry {
  readonly identity: UserIdentity;
  readonly expiresAt: number;
  lastSeenAt: number;
}

/** Caches token hashes by cookie header, which saves parsing and hashing; longer headers are rare and not cached. */
const HEADERS_MAX = 10_000;
const HEADER_LENGTH_MAX = 256;

/** Caches sessions by token hash. Loaded from the database, invalidated by announcements of any node. */
class SessionCache {
  /** Increases with every announcement: data read from the database before one must not be cached after it. */
  generation = 0;
  readonly #entries = new LRUCache<string, Entry>({ max: CACHE_MAX });
  /**
   * Maps a cookie header to the hash of its token. It grants nothing: the session of the hash is looked up each time.
   */
  readonly #hashes = new LRUCache<string, string>({ max: HEADERS_MAX });

  hashIn(header: string): string | undefined {
    return this.#hashes.get(header);
  }

  rememberHash(header: string, hash: string): void {
    if (header.length <= HEADER_LENGTH_MAX) this.#hashes.set(header, hash);
  }

  get(hash: string): Entry | undefined {
    return this.#entries.get(hash);
  }

  put(hash: string, entry: Entry): void {
    this.#entries.set(hash, entry);
  }

  drop(hash: string): void {
    this.#entries.delete(hash);
  }

  /**
   * Removes the matching entries. Announcements are rare and the map is bounded, so a scan is cheaper than a second
   * index.
   */
  dropWhere(gone: (identity: UserIdentity) => boolean): void {
    this.generation += 1;
    for (const [hash, { identity }] of [...this.#entries]) if (gone(identity)) this.#entries.delete(hash);
  }
}

const cache = perServer((ctx) => {
  const sessions = new SessionCache();
  onControl(ctx, "session_ended", (ended) => sessions.dropWhere(({ sessionId }) => sessionId === ended));
  onControl(ctx, "user_sessions_ended", ({ userId, except }) => {
    sessions.dropWhere((identity) => identity.userId === userId && identity.sessionId !== except);
  });
  const dropUser = (changed: number) => sessions.dropWhere(({ userId }) => userId === changed);
  onControl(ctx, "user_changed", dropUser);
  onControl(ctx, "user_suspended", dropUser);
  onControlLost(ctx, () => sessions.dropWhere(() => true));
  return sessions;
});

/** Returns the hash by which a session is stored and looked up. It does not let anybody in, unlike the token. */
export const hashToken = (token: string): string => Bun.SHA256.hash(token, "hex");

/** Returns the hash of the session's token in this `Cookie` header; null without one. The session may not exist. */
export function sessionHashIn(ctx: AppContext, header: string | null): string | null {
  if (header === null) return null;
  const known = cache(ctx).hashIn(header);
  if (known !== undefined) return known;
  const token = readSessionCookie(ctx.config, header);
  return token === null || !TOKEN.test(token) ? null : hashToken(token);
}

/**
 * Returns the user of the session in this `Cookie` header; null without a live session. The hot path of every request:
 * cached sessions are returned synchronously and without SQL, and browsers send the same header repeatedly.
 */
export function authenticateCookie(
  ctx: AppContext,
  header: string | null,
  isUse = true,
): MaybePromise<UserIdentity | null> {
  if (header === null) return null;
  const known = cache(ctx).hashIn(header);
  if (known !== undefined) return authenticateHash(ctx, known, isUse);
  const hash = sessionHashIn(ctx, header);
  if (hash === null) return null;
  return andThen(authenticateHash(ctx, hash, isUse), (identity) => {
    if (identity !== null) cache(ctx).rememberHash(header, hash);
    return identity;
  });
}

/** Returns the user of the session with this token; null without a live session. */
export function authenticateSession(ctx: AppContext, token: string): MaybePromise<UserIdentity | null> {
  return TOKEN.test(token) ? authenticateHash(ctx, hashToken(token)) : null;
}

/** Returns the user of the session whose token has this hash; null without a live session. */
export function authenticateHash(ctx: AppContext, hash: string, isUse = true): MaybePromise<UserIdentity | null> {
  const entry = cache(ctx).get(hash);
  return entry === undefined ? loadSession(ctx, hash, isUse) : useEntry(ctx, hash, entry, isUse);
}

function useEntry(ctx: AppContext, hash: string, entry: Entry, isUse: boolean): UserIdentity | null {
  const now = ctx.clock.now();
  if (now >= entry.expiresAt || now - entry.lastSeenAt >= SESSION_IDLE_MS) {
    cache(ctx).drop(hash);
    return null;
  }
  if (isUse && now - entry.lastSeenAt >= TOUCH_MS) {
    entry.lastSeenAt = now;
    noteSeen(ctx, entry.identity.sessionId, () => cache(ctx).drop(hash));
  }
  return entry.identity;
}

async function loadSession(ctx: AppContext, hash: string, isUse: boolean): Promise<UserIdentity | null> {
  const sessions = cache(ctx);
  const { generation } = sessions;
  const row = await store.findSession(ctx.db, hash);
  const now = ctx.clock.now();
  if (row === null || (row.suspended_until ?? 0) > now) return null;
  const entry: Entry = { identity: identityOf(ctx, row), expiresAt: row.expires_at, lastSeenAt: row.last_seen_at };
  if (sessions.generation === generation) sessions.put(hash, entry);
  return useEntry(ctx, hash, entry, isUse);
}

function identityOf(ctx: AppContext, row: store.SessionWithUser): UserIdentity {
  return {
    kind: "user",
    sessionId: row.id,
    userId: row.user_id,
    key: `u${row.user_id}`,
    username: row.username,
    adminLevel: row.admin_level,
    honorLevel: honorLevel(ctx.config.honorThresholds, row.total_points ?? 0),
    authenticatedAt: row.authenticated_at,
    lacksFactor: requiresFactor(ctx.config, row.admin_level) && row.has_factor === 0,
  };
}

/** The origin of a session, as shown in the list of sessions. */
export interface SessionOrigin {
  address: string;
  userAgent: string | null;
  /** The language of mails that the browser asks for; null or absent: it does not say. */
  language?: MailLanguage | null;
  /** Epoch ms at which the user proved who they are, if that was before the login. */
  authenticatedAt?: number;
}

/** Starts a session with a new random token (protocol §1: "a new id at each login"). */
export async function startSession(
  ctx: AppContext,
  userId: number,
  origin: SessionOrigin,
): Promise<{ token: string; identity: UserIdentity }> {
  const token = Buffer.from(ctx.clock.random(32)).toString("base64url");
  const now = ctx.clock.now();
  const hash = hashToken(token);
  await store.removeOverSessions(ctx.db, userId, now, now - SESSION_IDLE_MS);
  const dropped = await store.removeOldestSessions(ctx.db, userId, SESSIONS_PER_USER - 1);
  for (const id of dropped) publishControl(ctx, "session_ended", id);
  const row = await store.insertSession(ctx.db, {
    token_hash: hash,
    user_id: userId,
    created_at: now,
    authenticated_at: origin.authenticatedAt ?? now,
    last_seen_at: now,
    expires_at: now + SESSION_MAX_MS,
    user_agent: origin.userAgent?.slice(0, 256) ?? null,
    address: origin.address,
  });
  const identity = identityOf(ctx, row);
  // Whether an identity provider vouches for the user is stored later in the transaction.
  if (!identity.lacksFactor)
    ctx.afterCommit(() => cache(ctx).put(hash, { identity, expiresAt: row.expires_at, lastSeenAt: now }));
  return { token, identity };
}

/** Ends one session of this user, on every node. False when the user has no such session. */
export async function endSession(ctx: AppContext, userId: number, sessionId: number): Promise<boolean> {
  const ended = await store.removeSession(ctx.db, userId, sessionId);
  if (ended) publishControl(ctx, "session_ended", sessionId);
  return ended;
}

/** Ends all sessions of a user (suspension), or all but one (a new password), on every node. */
export async function endUserSessions(ctx: AppContext, userId: number, except: number | null = null): Promise<void> {
  await store.removeSessionsExcept(ctx.db, userId, except);
  publishControl(ctx, "user_sessions_ended", { userId, except });
}

const COOKIE = "parley_session";

/** Returns the `Set-Cookie` value of a new session. */
export function sessionCookie(config: Config, token: string): string {
  return setCookie(config, COOKIE, token, SESSION_MAX_MS / 1000);
}

/** Returns the `Set-Cookie` value that removes the session cookie. */
export function clearedSessionCookie(config: Config): string {
  return setCookie(config, COOKIE, "", 0);
}

/** Returns the session token in a `Cookie` header; null when there is none. */
export function readSessionCookie(config: Config, cookieHeader: string | null): string | null {
  return readCookie(config, COOKIE, cookieHeader);
}

/**
 * Returns the caller as the database knows them now, and holds their rows until the transaction ends. Errors:
 * `session_required` if the session has ended or the user is suspended.
 */
export async function userNow(ctx: AppContext, caller: UserIdentity): Promise<UserIdentity> {
  if (caller.sessionId === NO_SESSION) return holdAbsentUser(ctx, caller.userId);
  const row = await holdSession(ctx.db, caller.sessionId, caller.userId);
  const now = ctx.clock.now();
  if (row === null || row.expires_at <= now || now - row.last_seen_at >= SESSION_IDLE_MS)
    throw fail("session_required");
  if ((row.suspended_until ?? 0) > now) throw fail("session_required");
  return { ...caller, username: row.username, adminLevel: row.admin_level, authenticatedAt: row.authenticated_at };
}
