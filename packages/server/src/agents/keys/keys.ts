import { timingSafeEqual } from "node:crypto";
import type { AgentScope, KeyGrant } from "@parley/protocol/key-grants";
import { agentNameOf, checkAgentName, invalidAgentName, isPlatformAgent } from "../../accounts/names/agent-names.ts";
import { claimName, nameInTheWay, nameTaken } from "../../accounts/names/names.ts";
import { keepNotice, notifyOwner } from "../../accounts/security-notices/security-notices.ts";
import { COMMAND_LINE } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import type { Clock } from "../../clock.ts";
import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { recordControl } from "../../realtime/control/control.ts";
import { type CachedKey, forgetKey, type KeyCache, keyCache } from "./key-cache.ts";
import { onKeyExpiry } from "./key-endings.ts";
import {
  cutKey,
  HASH_BYTES,
  hashSecret,
  hasKeyMarks,
  KEY_LENGTH,
  keyIdOf,
  keyPrefix,
  makeKey,
  type ParsedKey,
  parseKey,
} from "./key-format.ts";
import { slugsOfKeys, termsRecord } from "./key-records.ts";
import { limitsOf, termsOf, UNLIMITED } from "./key-terms.ts";
import {
  allAgentNames,
  allKeys,
  endKey,
  findKey,
  hasLiveKey,
  holdKey,
  insertAgent,
  insertKey,
  type KeyRow,
  keyExists,
  userIdOf,
} from "./keys.store.ts";
import { noteUse } from "./last-use.ts";

/** The context of the command line, which makes and ends keys beside a running server. */
export interface KeyContext {
  db: Db;
  clock: Clock;
}

export interface IssuedKey {
  /** The whole key. Shown only this once. */
  api_key: string;
  key_id: string;
  agent_id: number;
  agent_name: string | null;
}

export interface NewAgent {
  agentName?: string;
  ownerUsername?: string;
  /** The limits of its key; none by default. */
  grant?: KeyGrant;
}

/**
 * Creates an agent with a key (protocol §5) and claims its name. The operator or administrator vouches for an owner
 * named here, who gets a security notice.
 * @throws invalid_agent_name, agent_name_taken, user_not_found, and those of `termsOf`
 */
export async function issueKey(
  ctx: AppContext,
  input: NewAgent,
  by: UserIdentity | typeof COMMAND_LINE = COMMAND_LINE,
): Promise<IssuedKey> {
  const agentName = input.agentName === undefined ? null : newAgentName(input.agentName);
  const maker = { by: by === COMMAND_LINE ? "operator" : by, agent: null } as const;
  const terms = input.grant === undefined ? UNLIMITED : await termsOf(ctx, input.grant, maker);
  const key = makeKey(ctx.clock);
  const agentId = await transact(ctx, async (ctx) => {
    const { db } = ctx;
    const now = ctx.clock.now();
    const ownerId = input.ownerUsername === undefined ? null : await userIdOf(db, input.ownerUsername);
    if (ownerId === undefined) throw fail("user_not_found");
    const id = await insertAgent(db, ownerId, ownerId !== null, now);
    if (agentName !== null && !isPlatformAgent(agentName)) {
      if (!(await claimName(db, agentName, { kind: "agent", agentId: id }))) {
        throw nameTaken("agent_name_taken", agentName, await nameInTheWay(db, agentName));
      }
    }
    const secret_hash = hashSecret(key.secret).toString("hex");
    await insertKey(db, { id: key.id, agent_id: id, secret_hash, created_at: now, ...terms });
    if (ownerId !== null) {
      const notice = { userId: ownerId, kind: "api_key_issued", details: { agent_id: id, key_id: key.id } } as const;
      if (by === COMMAND_LINE) await keepNotice(ctx, { ...notice, by: "operator" });
      else await notifyOwner(ctx, { ...notice, by });
    }
    return id;
  });
  return { api_key: key.text, key_id: key.id, agent_id: agentId, agent_name: agentName };
}

function newAgentName(text: string): string {
  const name = agentNameOf(text);
  if (name === null) throw invalidAgentName(text);
  if (!isPlatformAgent(name)) checkAgentName(name);
  return name;
}

export interface KeyRecord {
  key_id: string;
  key_prefix: string;
  agent_id: number;
  agent_names: string[];
  owner_username: string | null;
  paused: boolean;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  scopes: AgentScope[] | null;
  /** Slugs. */
  channels: string[] | null;
  expires_at: string | null;
}

/** Returns all keys without their secrets, oldest first. */
export async function listKeys(ctx: KeyContext): Promise<KeyRecord[]> {
  const names = Map.groupBy(await allAgentNames(ctx.db), (row) => row.agent_id);
  const rows = await allKeys(ctx.db);
  const slugs = await slugsOfKeys(ctx.db, rows);
  return rows.map((row) => ({
    key_id: row.id,
    key_prefix: keyPrefix(row.id),
    agent_id: row.agent_id,
    agent_names: (names.get(row.agent_id) ?? []).map((bound) => bound.name),
    owner_username: row.username,
    paused: row.paused === 1,
    created_at: time(row.created_at),
    last_used_at: row.last_used_at === null ? null : time(row.last_used_at),
    revoked_at: row.revoked_at === null ? null : time(row.revoked_at),
    ...termsRecord(row, slugs),
  }));
}

/**
 * Ends a key and its open streams at once. Running servers learn of it through `control_log`. Takes the id, the prefix
 * or the key. Returns `unknown` if there is no such key, `already` if it had ended.
 */
export async function revokeKey(ctx: KeyContext, key: string): Promise<"revoked" | "already" | "unknown"> {
  const keyId = keyIdOf(key);
  if (keyId === null) return "unknown";
  return inTransaction(ctx.db, async (db) => {
    if (!(await endKey(db, keyId, ctx.clock.now()))) return (await keyExists(db, keyId)) ? "already" : "unknown";
    await recordControl(db, ctx.clock, "key_revoked", keyId);
    return "revoked";
  });
}

/**
 * Authenticates `Authorization: Bearer <key>` (protocol §5), synchronously if the key is cached: every call needs it.
 * @throws missing_api_key, invalid_api_key; key_revoked, key_expired and agent_paused only for callers with the right secret
 */
export function authenticateKey(
  ctx: AppContext,
  authorization: string | null,
  isUse = true,
): AgentIdentity | Promise<AgentIdentity> {
  const known = authorization === null ? undefined : knownKey(keyCache(ctx), authorization);
  if (known !== undefined) return use(ctx, known, isUse);
  const key = parseKey(bearer(authorization));
  if (key === null) throw fail("invalid_api_key");
  const cached = keyCache(ctx).byId.get(key.id);
  if (cached !== undefined) return admit(ctx, cached, key, isUse);
  return loadKey(ctx, key.id).then((loaded) => admit(ctx, loaded, key, isUse));
}

/** Checks the key again for streams and long polls, which outlive their first check. Throws like `authenticateKey`. */
export async function recheckKey(ctx: AppContext, caller: AgentIdentity): Promise<void> {
  const key = keyCache(ctx).byId.get(caller.keyId) ?? (await loadKey(ctx, caller.keyId));
  if (key === UNKNOWN) throw fail("invalid_api_key");
  requireUsable(ctx, key);
}

/** Returns the agent of a key for what it has asked the server to do later. Throws like `authenticateKey`. */
export async function agentOfKey(ctx: AppContext, keyId: string): Promise<AgentIdentity> {
  const key = keyCache(ctx).byId.get(keyId) ?? (await loadKey(ctx, keyId));
  if (key === UNKNOWN) throw fail("invalid_api_key");
  requireUsable(ctx, key);
  return key.identity;
}

/**
 * Checks the key with the database, and holds it until the transaction ends. Throws like `authenticateKey`.
 */
export async function agentNow(ctx: AppContext, caller: AgentIdentity): Promise<AgentIdentity> {
  await holdKey(ctx.db, caller.keyId, caller.agentId);
  const row = await findKey(ctx.db, caller.keyId);
  if (row === undefined) throw fail("invalid_api_key");
  requireUsable(ctx, cachedKey(row));
  return caller;
}

/** True if the agent has any key that is still accepted. */
export function agentHasLiveKey(ctx: AppContext, agentId: number): Promise<boolean> {
  return hasLiveKey(ctx.db, agentId, ctx.clock.now());
}

/** Placeholder for keys that do not exist, so that they cost the same comparison. */
const UNKNOWN: CachedKey = {
  hash: Buffer.alloc(HASH_BYTES),
  checksum: "",
  revokedAt: Number.POSITIVE_INFINITY,
  expiresAt: null,
  paused: false,
  ownerId: null,
  ownerSuspendedUntil: 0,
  identity: { kind: "agent", keyId: "", agentId: 0, key: "a0" },
};

function bearer(authorization: string | null): string {
  const match = authorization === null ? null : /^bearer +(\S.*)$/i.exec(authorization);
  if (match?.[1] === undefined) throw fail("missing_api_key");
  return match[1];
}

const BEARER = "Bearer ";
const scratch = Buffer.alloc(HASH_BYTES);

/** Finds the key of a header in the cache of accepted keys: no pattern, no checksum, one hash (0.2 µs). */
function knownKey({ byId }: KeyCache, authorization: string): CachedKey | undefined {
  if (authorization.length !== BEARER.length + KEY_LENGTH || !authorization.startsWith(BEARER)) return undefined;
  if (!hasKeyMarks(authorization, BEARER.length)) return undefined;
  const { id, secret, checksum } = cutKey(authorization, BEARER.length);
  const key = byId.get(id);
  if (key === undefined || !timingSafeEqual(hashSecret(secret, scratch), key.hash)) return undefined;
  return checksum === key.checksum ? key : undefined;
}

function admit(ctx: AppContext, key: CachedKey, { secret, checksum }: ParsedKey, isUse: boolean): AgentIdentity {
  if (!timingSafeEqual(hashSecret(secret), key.hash) || key === UNKNOWN) throw fail("invalid_api_key");
  key.checksum = checksum;
  return use(ctx, key, isUse);
}

function use(ctx: AppContext, key: CachedKey, isUse: boolean): AgentIdentity {
  requireUsable(ctx, key);
  if (isUse) noteUse(ctx, key.identity.keyId, key.identity.agentId);
  return key.identity;
}

function requireUsable(ctx: AppContext, key: CachedKey): void {
  if (key.revokedAt <= ctx.clock.now()) throw fail(key.revokedAt === key.expiresAt ? "key_expired" : "key_revoked");
  if (key.paused || key.ownerSuspendedUntil > ctx.clock.now()) throw fail("agent_paused");
}

async function loadKey(ctx: AppContext, keyId: string): Promise<CachedKey> {
  const cache = keyCache(ctx);
  const { generation } = cache;
  const row = await findKey(ctx.db, keyId);
  if (row === undefined) return UNKNOWN;
  const key = cachedKey(row);
  const endsIn = key.revokedAt - ctx.clock.now();
  if (endsIn > 0 && Number.isFinite(endsIn)) onKeyExpiry(ctx, keyId, endsIn, () => void forgetKey(cache, keyId));
  if (cache.generation === generation) cache.byId.set(keyId, key);
  return key;
}

function cachedKey(row: KeyRow): CachedKey {
  const limits = limitsOf(row);
  return {
    hash: Buffer.from(row.secret_hash, "hex"),
    checksum: "",
    revokedAt: row.revoked_at ?? Number.POSITIVE_INFINITY,
    expiresAt: row.expires_at,
    paused: row.paused === 1,
    ownerId: row.owner_id,
    ownerSuspendedUntil: row.owner_suspended_until ?? 0,
    identity: Object.freeze({
      kind: "agent",
      keyId: row.id,
      agentId: row.agent_id,
      key: `a${row.agent_id}`,
      ...(limits === undefined ? {} : { limits }),
    }),
  };
}

function time(at: number): string {
  return isoTime(at);
}

/** Joins a transaction that is already open. */
function inTransaction<T>(db: Db, act: (db: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? act(db) : db.transaction().execute(act);
}
