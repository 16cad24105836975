import type { Client } from "pg";
import { columnTypes } from "../columns.ts";
import { createMeta } from "../migrate.ts";
import { StartupError } from "../startup-error.ts";
import { FORMER_TABLES } from "./former-tables.ts";
import { assertOwnSession } from "./pooler.ts";

/** The schema of Parley's tables when DATABASE_URL names none. */
export const SCHEMA = "parley";

/** The object that a server locks (hold.ts). */
export const HOLD = "server_hold";

/**
 * Another server created the same object at the same moment: duplicate_schema, duplicate_table, unique_violation,
 * undefined_table.
 */
const RACE = /^(42P06|42P07|23505|42P01)$/;
const TRIES = 5;

/** A schema as the catalog has it. */
interface SchemaFacts {
  owner: string;
  isTrusted: boolean;
  /** Roles besides the owner and the server's own that can create objects in it. */
  creators: string[];
}

/**
 * A session that inspects schemas. Its `search_path` is `pg_catalog` alone, so that no other operators and functions
 * are called.
 */
export interface SchemaSession {
  client: Client;
  /**
   * The schema in which the role's own `search_path` creates tables, and so where versions without a dedicated schema
   * created theirs; null if there is none.
   */
  former: string | null;
  /** True if a connection pooler is between Parley and PostgreSQL. */
  isPooled: boolean;
}

/**
 * Runs `act` in such a session, which is closed afterwards. `open` creates a session that is not connected yet and has
 * the role's own `search_path`. Errors: those of `assertOwnSession`.
 */
export async function inSchemaSession<T>(open: () => Client, act: (session: SchemaSession) => Promise<T>): Promise<T> {
  const client = open();
  // Without a listener a broken connection would end the process; the query under way rejects with the same error.
  client.on("error", () => {});
  try {
    // First, because what follows would change a session of others.
    const isPooled = await assertOwnSession(client, open);
    const { rows } = await client.query<{ former: string | null }>("select pg_catalog.current_schema() as former");
    await client.query("set search_path = pg_catalog");
    return await act({ client, former: rows[0]?.former ?? null, isPooled });
  } finally {
    await client.end();
  }
}

/**
 * Creates the schema, moves the tables of a version without a dedicated schema into it, and creates the object that
 * servers lock, all in one transaction. Throws a `StartupError` if another role could create objects in the schema, and
 * so inject them into the server's queries.
 */
export async function prepareSchema(session: SchemaSession, schema: string): Promise<void> {
  const { client } = session;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin");
      await prepare(session, schema);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      if (attempt >= TRIES || !(error instanceof Error && "code" in error && RACE.test(String(error.code))))
        throw error;
    }
  }
}

async function prepare(session: SchemaSession, schema: string): Promise<void> {
  const { client } = session;
  const facts = (await findSchema(client, schema)) ?? (await createSchema(client, schema));
  refuseOpen(schema, facts);
  const present = await currentSchema(session, schema);
  await refuseFormerServer(client, present);
  if (present !== schema) await moveTables(client, present, schema);
  // Here and not in the first migration, whose transaction locks it.
  await client.query(createMeta(columnTypes("postgres"), `${schema}.meta`));
  if (await hasRelation(client, schema, HOLD)) return;
  await client.query(`create view ${schema}.${HOLD} as select 1 as held`);
}

/**
 * Returns the schema that holds Parley's tables: `schema`, or the first schema of the role's `search_path` if a version
 * without a dedicated schema created them there. Returns `schema` if there are none yet.
 */
export async function currentSchema({ client, former }: SchemaSession, schema: string): Promise<string> {
  if (schema !== SCHEMA || former === null || (await hasRelation(client, schema, "meta"))) return schema;
  const { rows } = await client.query(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname in ('meta', 'names', 'users') and c.relkind = 'r'
       and pg_get_userbyid(c.relowner) = current_user`,
    [former],
  );
  return rows.length === 3 ? former : schema;
}

async function hasRelation(client: Client, schema: string, name: string): Promise<boolean> {
  const { rows } = await client.query(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = $2`,
    [schema, name],
  );
  return rows.length > 0;
}

/** Trusted owners are the server's own role, the database's owner, and superusers: these can do everything anyway. */
async function findSchema(client: Client, schema: string): Promise<SchemaFacts | undefined> {
  const { rows } = await client.query<SchemaFacts>(
    `select r.rolname as owner,
       r.rolname = current_user or r.rolsuper or r.rolname = 'pg_database_owner' or r.oid = d.datdba as "isTrusted",
       array(
         select coalesce(g.rolname, 'PUBLIC')::text
         from aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) acl
         left join pg_roles g on g.oid = acl.grantee
         where acl.privilege_type = 'CREATE' and acl.grantee <> n.nspowner and g.rolname is distinct from current_user
       ) as creators
     from pg_namespace n
     join pg_roles r on r.oid = n.nspowner
     join pg_database d on d.datname = current_database()
     where n.nspname = $1`,
    [schema],
  );
  return rows[0];
}

async function createSchema(client: Client, schema: string): Promise<SchemaFacts> {
  try {
    await client.query(`create schema ${schema}`);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "42501")) throw error;
    throw new StartupError(
      `This role cannot create the schema "${schema}" for Parley's tables. As a superuser run: create schema ${schema} authorization <role>`,
      error,
    );
  }
  await client.query(`revoke all on schema ${schema} from public`);
  return { owner: "", isTrusted: true, creators: [] };
}

function refuseOpen(schema: string, { owner, isTrusted, creators }: SchemaFacts): void {
  if (!isTrusted) {
    throw new StartupError(
      `The schema "${schema}" belongs to the role "${owner}", which can change Parley's tables. If you trust that role, run: alter schema ${schema} owner to <the role in DATABASE_URL>. Otherwise drop the schema.`,
    );
  }
  if (creators.length === 0) return;
  throw new StartupError(
    `Other roles can create objects in the schema "${schema}", which can change the meaning of Parley's queries. As its owner run: ${creators
      .map((role) => `revoke create on schema ${schema} from ${role === "PUBLIC" ? role : `"${role}"`}`)
      .join("; ")}`,
  );
}

/**
 * Throws if a server of a version without a dedicated schema is running; it would lose its tables, or write at the same
 * time as this one. Such servers hold an advisory lock, which any role can take, so only a lock held by this role's
 * sessions counts.
 */
async function refuseFormerServer(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query(
    `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and l.granted and a.datname = current_database() and a.usename = current_user
       and l.classid = 727539 and l.objid = (hashtext($1)::bigint & 4294967295)::oid and l.objsubid = 2`,
    [schema],
  );
  if (rows.length === 0) return;
  throw new StartupError("An older Parley server is using this PostgreSQL database. Stop it first.");
}

/** Moves Parley's tables and leaves everything else. Indexes and sequences follow their tables. */
async function moveTables(client: Client, from: string, to: string): Promise<void> {
  const { rows: tables } = await client.query<{ oid: number; name: string }>(
    `select c.oid, quote_ident(c.relname) as name from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relname = any ($2) and c.relkind = 'r' and pg_get_userbyid(c.relowner) = current_user`,
    [from, FORMER_TABLES],
  );
  const { rows: functions } = await client.query<{ name: string }>(
    `select distinct p.oid::regprocedure::text as name from pg_trigger t
     join pg_proc p on p.oid = t.tgfoid join pg_namespace n on n.oid = p.pronamespace
     where t.tgrelid = any ($1::oid[]) and not t.tgisinternal and n.nspname = $2`,
    [tables.map(({ oid }) => oid), from],
  );
  const place = `"${from.replaceAll('"', '""')}"`;
  for (const { name } of tables) await client.query(`alter table ${place}.${name} set schema ${to}`);
  for (const { name } of functions) await client.query(`alter function ${name} set schema ${to}`);
}
