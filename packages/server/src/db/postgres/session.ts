import type { Client, ClientConfig, QueryConfig } from "pg";
import type { PostgresAddress } from "../../config/database.ts";
import { connectionTo } from "./connection.ts";
import { type Setting, splitOptions } from "./options.ts";

/**
 * PostgreSQL compiles statements whose estimated cost is high, as that of every statement over tables that were never
 * analyzed. All of Parley's take milliseconds, and compiling one takes a second of a core.
 */
const NO_COMPILER: Setting = ["jit", "off"];

type Connected = ((error: Error) => void) | ((error: null, client: Client) => void);

/** The driver's class for single sessions, which also a pool uses. */
export type SessionClass = new (config?: ClientConfig) => Client;

export interface SessionParts {
  address: PostgresAddress;
  /**
   * The schema to which all names of the session resolve, besides PostgreSQL's own and temporary ones; null for the
   * path that the role has without Parley, to find existing tables.
   */
  schema: string | null;
  /** How long a login may take, and then the settings. A pooler without a free session answers only the first. */
  waitMs: number;
  /** Settings that the operator's options must not change. */
  settings?: readonly Setting[];
}

/**
 * Returns the driver's class for sessions that have Parley's settings from the moment they are connected. They are not
 * in the login, because a connection pooler refuses it with them, or drops them. Whatever the role or database sets,
 * `search_path` is the schema alone: PostgreSQL's own `pg_catalog` always comes first.
 *
 * A pooler may hand on a session with the statements that another client prepared, so these are forgotten first.
 */
export function sessionClass(driver: SessionClass, parts: SessionParts): SessionClass {
  const config = { ...connectionTo(parts.address), connectionTimeoutMillis: parts.waitMs };
  const settings = { text: settingUp(parts), query_timeout: parts.waitMs } as QueryConfig;
  return class extends driver {
    constructor(more?: ClientConfig) {
      super({ ...more, ...config });
    }

    override connect(): Promise<Client>;
    override connect(callback: Connected): void;
    override connect(callback?: Connected): Promise<Client> | undefined {
      const connected = this.#connect();
      if (callback === undefined) return connected;
      const done = callback as (error: unknown, client?: Client) => void;
      connected.then((client) => done(null, client), done);
      return undefined;
    }

    async #connect(): Promise<Client> {
      await super.connect();
      try {
        await this.query(settings);
        return this;
      } catch (error) {
        // A pool forgets a session that it could not connect, so nobody else would close it.
        void this.end().catch(() => {});
        throw error;
      }
    }
  };
}

/** One message for all settings, so that they cost one round trip for each new connection. */
function settingUp({ address, schema, settings = [] }: SessionParts): string {
  const path: Setting[] = schema === null ? [] : [["search_path", `"${schema.replaceAll('"', '""')}", pg_temp`]];
  const all = [NO_COMPILER, ...splitOptions(address.options).settings, ...settings, ...path];
  const calls = all.map(([name, value]) => `pg_catalog.set_config(${literal(name)}, ${literal(value)}, false)`);
  return `deallocate all; reset search_path; select ${calls.join(", ")}`;
}

/** Quotes a text so that it means the same whatever `standard_conforming_strings` is. */
const literal = (text: string): string => ` E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
