import type { Generated } from "kysely";
import type { Flag, Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Codes that are exchanged for an agent's key, until a day after they expire. */
export interface SetupCodesTable {
  id: Generated<number>;
  /** SHA-256 of the code, hex. The code itself is not stored. */
  code_hash: string;
  /** null: the agent did not exist when the code was made. */
  agent_id: number | null;
  agent_name: string | null;
  /** The key of the name that is held until the agent exists; null if the agent existed, empty if the name was freed. */
  name_key: string | null;
  /** The verified owner of the agent, now or later. */
  owner_id: number | null;
  /** null: the operator at the command line. */
  maker_id: number | null;
  /** The maker's level permitted it, and not their ownership. */
  by_level: Flag;
  /** A hash of the agent's keys that were revoked before the code was made. */
  key_mark: string;
  /** The limits of the key, as in `api_keys`. */
  scopes: string | null;
  channels: string | null;
  key_expires_at: Millis | null;
  created_at: Millis;
  expires_at: Millis;
  /** Set if the code ended before it expired. */
  ended_at: Millis | null;
  used_at: Millis | null;
  /** The key that it was exchanged for. */
  key_id: string | null;
}

export const dataClasses: DataClasses = {
  setup_codes: {
    erased: {
      delete: "owner_id maker_id",
      keep: "id code_hash agent_id agent_name name_key by_level key_mark scopes channels key_expires_at created_at expires_at ended_at used_at key_id",
    },
  },
};
