import type { DatabaseConfig } from "./database.ts";
import type { FilesPlace } from "./file-storage.ts";
import type { Profile } from "./parse.ts";
import type { Values } from "./variables.ts";

export type { DatabaseConfig, Profile };

/** The settings from the environment (protocol §10). Read once, never changed. */
export interface Config extends Readonly<Omit<Values, "database" | "files">> {
  /** An absolute path. */
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  readonly files: FilesPlace;
  /** The public URL is https: cookies are `Secure` and carry the `__Host-` prefix. */
  readonly secureCookies: boolean;
  /**
   * The operator has named the reverse proxies or declared that there are none. Otherwise there may be an undeclared
   * proxy.
   */
  readonly proxiesDeclared: boolean;
  /** The factor of the rate limits (protocol §9). */
  readonly rateFactor: 1 | 100;
}
