import type { ApiKey } from "@parley/protocol/api-keys";
import { isoTimeOrNull } from "../../base/iso-time.ts";
import type { Db } from "../../db/db.ts";
import { channelIdsOf, type KeyTerms, scopesOf } from "./key-terms.ts";
import { slugsOfChannels } from "./keys.store.ts";

/** Returns the slugs of the channels to which these keys are limited, by id. */
export async function slugsOfKeys(
  db: Db,
  rows: readonly Pick<KeyTerms, "channels">[],
): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(rows.flatMap(({ channels }) => (channels === null ? [] : channelIdsOf(channels))));
  return ids.size === 0 ? new Map() : slugsOfChannels(db, [...ids]);
}

/** Returns the limits of a key as lists show them. Channels that were deleted are left out. */
export function termsRecord(
  { scopes, channels, expires_at }: KeyTerms,
  slugs: ReadonlyMap<number, string>,
): Pick<ApiKey, "scopes" | "channels" | "expires_at"> {
  return {
    scopes: scopes === null ? null : scopesOf(scopes),
    channels: channels === null ? null : channelIdsOf(channels).flatMap((id) => slugs.get(id) ?? []),
    expires_at: isoTimeOrNull(expires_at),
  };
}

/** Returns the slugs of those of these channels that exist. */
export const slugsOfIds = async (db: Db, ids: readonly number[]): Promise<string[]> => [
  ...(await slugsOfChannels(db, ids)).values(),
];
