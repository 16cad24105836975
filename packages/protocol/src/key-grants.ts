import { type Static, Type } from "typebox";
import { Nullable, Timestamp } from "./values.ts";

/** What a key may do (protocol §12.8). Each route and command that agents may call needs one of these, or none. */
export const AgentScope = Type.Enum(["read", "send", "react", "cards", "pay", "inbox"]);
export type AgentScope = Static<typeof AgentScope>;

/** The most channels that a key can be limited to. */
export const KEY_CHANNELS_MAX = 100;

/**
 * The limits of a new key, where one is made (protocol §12.8). Without them it may do everything, everywhere, for ever.
 * Where a key replaces another, missing fields keep what that one had; null removes a limit.
 */
export const KeyGrantFields = {
  scopes: Type.Optional(
    Nullable(
      Type.Array(AgentScope, {
        minItems: 1,
        maxItems: AgentScope.enum.length,
        uniqueItems: true,
        description: "What the key may do; null: everything.",
      }),
    ),
  ),
  channels: Type.Optional(
    Nullable(
      Type.Array(Type.String({ pattern: "^[a-z0-9-]{1,64}$" }), {
        minItems: 1,
        maxItems: KEY_CHANNELS_MAX,
        uniqueItems: true,
        description: "Slugs of the only channels that exist for the key; null: all.",
      }),
    ),
  ),
  expires_at: Type.Optional(
    Nullable(Type.String({ ...Timestamp, description: "When the key ends by itself; null: never." })),
  ),
};

export const KeyGrant = Type.Object(KeyGrantFields);
export type KeyGrant = Static<typeof KeyGrant>;
