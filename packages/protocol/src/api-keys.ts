import { type Static, Type } from "typebox";
import { AgentScope } from "./key-grants.ts";
import { Id, model, Nullable, Timestamp } from "./values.ts";

/** An API key in lists; the key itself is shown once, when it is issued (protocol §5). */
export const ApiKey = model("ApiKey", "An API key in lists; never the key itself.", {
  key_id: Type.String(),
  key_prefix: Type.String({ description: "`ply_<key_id>`." }),
  agent_names: Type.Array(Type.String()),
  created_at: Timestamp,
  last_used_at: Nullable(Timestamp),
  revoked_at: Nullable(Timestamp),
  scopes: Nullable(Type.Array(AgentScope, { description: "What the key may do; null: everything." })),
  channels: Nullable(
    Type.Array(Type.String(), { description: "Slugs of the only channels that it reaches; null: all." }),
  ),
  expires_at: Nullable(Type.String({ ...Timestamp, description: "When it ends by itself; null: never." })),
});
export type ApiKey = Static<typeof ApiKey>;

/** The result of issuing a key: the only time the key is shown (protocol §0). */
export const IssuedKey = model("IssuedKey", "A new API key. It is shown only this once.", {
  api_key: Type.String(),
  key_id: Type.String(),
  agent_id: Id,
  agent_name: Type.String(),
});
export type IssuedKey = Static<typeof IssuedKey>;
