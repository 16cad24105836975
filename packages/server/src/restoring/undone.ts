import { Database } from "bun:sqlite";
import { isoTime } from "../base/iso-time.ts";

/** Something that was done after the restored time, and that the restore undoes. */
export interface Undone {
  kind: keyof typeof QUESTIONS;
  /** What it was, in words. */
  text: string;
  /** The arguments of the command that does it again; null: there is none, or nothing is to be done. */
  again: readonly string[] | null;
}

interface Row {
  name: string;
  id: string;
  other: string | null;
  at: number | null;
}

/** The end of a suspension or of a ban that has none. */
const NEVER = Date.UTC(9999, 0, 1);
const until = (at: number | null): string => (at === null || at > NEVER ? "" : ` until ${isoTime(at)}`);
const on = (at: number | null): string => (at === null ? "" : ` on ${isoTime(at)}`);

const AGENT = `coalesce((select n.name from names n where n.agent_id = k.agent_id limit 1),
  (select n.name from newer.names n where n.agent_id = k.agent_id limit 1), 'agent ' || k.agent_id)`;
const USER = (id: string) => `coalesce((select u.username from users u where u.id = ${id}),
  (select u.username from newer.users u where u.id = ${id}), 'user ' || ${id})`;
const CHANNEL = `coalesce((select c.slug from channels c where c.id = b.channel_id),
  (select c.slug from newer.channels c where c.id = b.channel_id), 'channel ' || b.channel_id)`;
/** `newer` is the replaced database, in which the same ids mean the same people as in the restored one. */
const BOTH = "newer.users n join users u on u.id = n.id and u.created_at = n.created_at";

interface Question {
  /** Selects `name`, `id`, `other` and `at`. `:now` is the time. */
  query: string;
  text(row: Row): string;
  again?(row: Row): string[];
}

/** What is compared, in the order in which it is printed. */
const QUESTIONS = {
  erasure: {
    query: `select u.username as name, u.id as id, null as other, n.erased_at as at
      from ${BOTH} where n.erased_at is not null and u.erased_at is null`,
    text: ({ name, at }) => `the account of ${name} was deleted${on(at)}, and is back with its data`,
    again: ({ name }) => ["user", "erase", name],
  },
  key_revoked: {
    query: `select ${AGENT} as name, k.id as id, null as other, k.revoked_at as at
      from newer.api_keys k join api_keys o on o.id = k.id
      where k.revoked_at is not null and (o.revoked_at is null or o.revoked_at > k.revoked_at)`,
    text: ({ name, id, at }) => `the key ply_${id} of ${name} was revoked${on(at)}, and is valid again`,
    again: ({ id }) => ["key", "revoke", id],
  },
  suspension: {
    query: `select u.username as name, u.id as id, null as other, n.suspended_until as at
      from ${BOTH} where n.suspended_until > :now and coalesce(u.suspended_until, 0) < n.suspended_until`,
    text: ({ name, at }) => `${name} was suspended${until(at)}, and is not any more`,
    again: ({ name, at }) => ["user", "suspend", name, ...(at === null || at > NEVER ? [] : ["--until", isoTime(at)])],
  },
  suspension_ended: {
    query: `select u.username as name, u.id as id, null as other, u.suspended_until as at
      from ${BOTH} where u.suspended_until > :now and coalesce(n.suspended_until, 0) <= :now and n.erased_at is null`,
    text: ({ name }) => `the suspension of ${name} was ended, and holds again`,
    again: ({ name }) => ["user", "unsuspend", name],
  },
  ban: {
    query: `select coalesce(${USER("b.user_id")}, (select a.name from newer.names a where a.agent_id = b.agent_id limit 1), b.member_key) as name,
      b.channel_id as id, ${CHANNEL} as other, b.until as at
      from newer.channel_bans b left join channel_bans o on o.channel_id = b.channel_id and o.member_key = b.member_key
      where o.channel_id is null and (b.until is null or b.until > :now)`,
    text: ({ name, other, at }) =>
      `${name} was banned from ${other}${until(at)}, and is not any more: ban them there again`,
  },
  ban_lifted: {
    query: `select coalesce(${USER("b.user_id")}, (select a.name from names a where a.agent_id = b.agent_id limit 1), b.member_key) as name,
      b.channel_id as id, ${CHANNEL} as other, b.until as at
      from channel_bans b left join newer.channel_bans o on o.channel_id = b.channel_id and o.member_key = b.member_key
      where o.channel_id is null and (b.until is null or b.until > :now)`,
    text: ({ name, other }) => `the ban of ${name} from ${other} was lifted, and holds again: lift it there again`,
  },
  password: {
    query: `select u.username as name, u.id as id, null as other, null as at
      from ${BOTH} where n.erased_at is null and n.password_hash is not u.password_hash and u.erased_at is null`,
    text: ({ name }) => `the password of ${name} was changed: the earlier one is valid again`,
    again: ({ name }) => ["user", "reset", name],
  },
  level: {
    query: `select u.username as name, u.id as id, n.admin_level as other, null as at
      from ${BOTH} where n.erased_at is null and u.erased_at is null and n.admin_level is not u.admin_level`,
    text: ({ name, other }) =>
      `${name} was given ${other === null ? "no level" : `the level ${other}`}, and has the earlier one`,
    again: ({ name, other }) =>
      other === "3"
        ? ["owner", "create", name]
        : ["user", "level", name, { 1: "moderator", 2: "administrator" }[other ?? ""] ?? "none"],
  },
  session_ended: {
    query: `select ${USER("s.user_id")} as name, s.user_id as id, count(*) as other, null as at
      from sessions s left join newer.sessions o on o.token_hash = s.token_hash
      where o.id is null and s.expires_at > :now and s.last_seen_at > :now - 604800000 group by s.user_id`,
    text: ({ name, other }) =>
      `${other} sessions of ${name} had ended, and are valid again: a suspension, which you may end at once, ends them`,
    again: ({ name }) => ["user", "suspend", name],
  },
  session_made: {
    query: `select ${USER("s.user_id")} as name, s.user_id as id, count(*) as other, null as at
      from newer.sessions s left join sessions o on o.token_hash = s.token_hash
      where o.id is null and s.expires_at > :now group by s.user_id`,
    text: ({ name, other }) => `${other} sessions of ${name} are gone: they must log in again`,
  },
  account: {
    query: `select n.username as name, n.id as id, null as other, n.created_at as at
      from newer.users n left join users u on u.id = n.id where u.id is null and n.erased_at is null`,
    text: ({ name, at }) => `the account of ${name} was made${on(at)}, and is gone`,
  },
  key_made: {
    query: `select ${AGENT} as name, k.id as id, null as other, k.created_at as at
      from newer.api_keys k left join api_keys o on o.id = k.id
      where o.id is null and (k.revoked_at is null or k.revoked_at > :now)`,
    text: ({ name, id, at }) => `the key ply_${id} of ${name} was made${on(at)}, and is unknown: issue another one`,
  },
} as const satisfies Record<string, Question>;

/**
 * Compares a restored SQLite file with a newer state of the same database, without changing either, and returns the keys,
 * sessions, bans, accounts and erasures that differ. Throws if `newer` cannot be read.
 */
export function undoneBetween(restored: string, newer: string, now: number): Undone[] {
  using database = new Database(restored, { readonly: true });
  database.run("pragma busy_timeout = 2000");
  database.run("attach database ? as newer", [newer]);
  return Object.entries(QUESTIONS).flatMap(([kind, question]: [string, Question]): Undone[] => {
    const values = question.query.includes(":now") ? [{ ":now": now }] : [];
    return database
      .query<Row, typeof values>(question.query)
      .all(...values)
      .map((row) => {
        const told = { ...row, id: String(row.id), other: row.other === null ? null : String(row.other) };
        return { kind: kind as Undone["kind"], text: question.text(told), again: question.again?.(told) ?? null };
      });
  });
}
