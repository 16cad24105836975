import { AgentScope, type KeyGrant } from "@parley/protocol/key-grants";
import { isoTimeOrNull } from "../../base/iso-time.ts";
import { readableChannel } from "../../channels/access/access.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import type { AppContext } from "../../context.ts";
import { AppError, fail } from "../../errors.ts";
import type { AgentIdentity, Identity, KeyLimits } from "../../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../../http/site-levels.ts";

/** The limits of a key as they are stored. */
export interface KeyTerms {
  scopes: string | null;
  channels: string | null;
  expires_at: number | null;
}

/** The terms of a key that may do everything, everywhere, for ever. */
export const UNLIMITED: KeyTerms = { scopes: null, channels: null, expires_at: null };

/** Returns the limits that a key's requests are checked against; undefined if there are none. */
export function limitsOf({ scopes, channels }: Omit<KeyTerms, "expires_at">): KeyLimits | undefined {
  if (scopes === null && channels === null) return undefined;
  return Object.freeze({
    scopes: scopes === null ? null : new Set(scopesOf(scopes)),
    channels: channels === null ? null : new Set(channelIdsOf(channels)),
  });
}

/** Returns the scopes of a stored list. Those of a later release mean nothing here. */
export const scopesOf = (scopes: string): AgentScope[] =>
  AgentScope.enum.filter((scope) => scopes.split(",").includes(scope));

export const channelIdsOf = (channels: string): number[] => JSON.parse(channels) as number[];

/** Who makes a key, which may be limited to channels that they know or that its agent is in. */
interface Maker {
  by: Identity | "operator";
  agent: Pick<AgentIdentity, "agentId" | "key"> | null;
}

/**
 * Returns the terms of a new key; what the grant does not say is as in `kept`.
 * Errors: `channel_not_found`, `invalid_request` (the end is not in the future).
 */
export async function termsOf(
  ctx: AppContext,
  { scopes, channels, expires_at }: KeyGrant,
  maker: Maker,
  kept: KeyTerms = UNLIMITED,
): Promise<KeyTerms> {
  const ids: number[] = [];
  for (const slug of channels ?? []) ids.push(await nameableChannel(ctx, slug, maker));
  const keptEnd = isoTimeOrNull(kept.expires_at);
  const end = expires_at === undefined ? keptEnd : expires_at;
  return {
    scopes: scopes === undefined ? kept.scopes : scopes && AgentScope.enum.filter((one) => scopes.includes(one)).join(),
    channels: channels === undefined ? kept.channels : channels && JSON.stringify(ids),
    expires_at: end === null ? null : endOf(ctx, end),
  };
}

function endOf(ctx: AppContext, text: string): number {
  const at = Date.parse(text);
  if (!(at > ctx.clock.now()))
    throw fail("invalid_request", { details: [{ path: "expires_at", message: "must be a time in the future" }] });
  return at;
}

/** Returns the id of a channel that the maker may name: a slug must not reveal that a hidden channel exists. */
async function nameableChannel(ctx: AppContext, slug: string, { by, agent }: Maker): Promise<number> {
  if (by === "operator" || hasLevel(by, ADMINISTRATOR)) {
    const channel = await findChannel(ctx, { slug });
    if (channel === null) throw fail("channel_not_found", { message: `There is no channel ${JSON.stringify(slug)}.` });
    return channel.id;
  }
  for (const reader of [by, ...(agent === null ? [] : [{ kind: "agent", keyId: "", ...agent } as const])]) {
    try {
      return (await readableChannel(ctx, reader, { slug })).id;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
    }
  }
  throw fail("channel_not_found", { message: `There is no channel ${JSON.stringify(slug)}.` });
}

/** True if the key may not do everything, everywhere, for ever. */
export const isLimited = ({ scopes, channels, expires_at }: KeyTerms): boolean =>
  scopes !== null || channels !== null || expires_at !== null;

/**
 * Refuses terms that give a key more than the key that makes it has: more scopes or channels, or a later end.
 * Errors: `insufficient_scope`, `channel_not_in_scope`, `invalid_request` (`expires_at`).
 */
export function assertNoWider(held: KeyTerms, wanted: KeyTerms): void {
  if (held.scopes !== null) {
    const scopes = scopesOf(held.scopes);
    const more = AgentScope.enum.filter((one) => wanted.scopes === null || scopesOf(wanted.scopes).includes(one));
    const required = more.find((one) => !scopes.includes(one));
    if (required !== undefined) throw fail("insufficient_scope", { details: { required, scopes } });
  }
  if (held.channels !== null) {
    const channels = channelIdsOf(held.channels);
    const isWithin = wanted.channels !== null && channelIdsOf(wanted.channels).every((id) => channels.includes(id));
    if (!isWithin) throw fail("channel_not_in_scope");
  }
  if (held.expires_at !== null && (wanted.expires_at ?? Number.POSITIVE_INFINITY) > held.expires_at)
    throw fail("invalid_request", {
      details: [{ path: "expires_at", message: "must not be later than the end of the key that makes it" }],
    });
}
