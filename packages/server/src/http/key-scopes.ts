import type { AgentScope } from "@parley/protocol/key-grants";
import { fail } from "../errors.ts";
import type { Identity } from "./identity.ts";

/** What a key needs for a route, command or tool; `any`: it is open to every key. */
export type NeededScope = AgentScope | "any";

/**
 * Refuses an agent whose key lacks a scope (protocol §12.8). Without a scope it is open to keys without limits only.
 * @throws insufficient_scope
 */
export function assertScope(caller: Identity, needed: NeededScope | undefined): void {
  if (caller.kind !== "agent" || caller.limits === undefined || needed === "any") return;
  const { scopes } = caller.limits;
  if (needed !== undefined && (scopes === null || scopes.has(needed))) return;
  throw fail("insufficient_scope", { details: { required: needed ?? null, scopes: [...(scopes ?? [])] } });
}

/** True if the caller's key has a scope. Users and guests have no key, so nothing limits them. */
export const hasScope = (caller: Identity, scope: AgentScope): boolean =>
  caller.kind !== "agent" || (caller.limits?.scopes?.has(scope) ?? true);

/** The only channels that exist for the caller's key; null: all. */
export const channelsInScope = (caller: Identity): ReadonlySet<number> | null =>
  caller.kind === "agent" ? (caller.limits?.channels ?? null) : null;

/** True if the channel exists for the caller's key; null is no channel. */
export const isInScope = (caller: Identity, channelId: number | null): boolean =>
  channelId === null || (channelsInScope(caller)?.has(channelId) ?? true);

/** The places of items that exist for the caller's key: its channels, and 0 for items of no channel; null: all. */
export function placesInScope(caller: Identity): readonly number[] | null {
  const channels = channelsInScope(caller);
  return channels === null ? null : [0, ...channels];
}
