import { ownPreferences } from "../channels/preferences/preferences.ts";
import { quietEnd } from "../channels/preferences/push-preferences.ts";
import type { AppContext } from "../context.ts";
import { type MissedPlace, missedSince } from "../notifications/missed/missed.ts";
import { isReachable } from "./digests.store.ts";

/** Messages that a digest looks at; of more only the newest. */
const LOOKED_AT = 200;

/** Somebody who gets digests now. */
export interface DigestReader {
  userId: number;
  digest: "away" | "daily";
  zone: string | null;
  /** Epoch milliseconds; not later than now if it is not quiet. */
  quietUntil: number;
  previews: boolean;
}

/**
 * Returns how a user gets digests now; null: not at all, because they chose so, have not confirmed the address that they
 * have, or are suspended or gone.
 */
export async function readerOf(ctx: AppContext, userId: number): Promise<DigestReader | null> {
  const now = ctx.clock.now();
  const preferences = await ownPreferences(ctx, userId);
  const { digest, zone } = preferences;
  if (digest === "off" || !(await isReachable(ctx.db, userId, now))) return null;
  return { userId, digest, zone, quietUntil: quietEnd(preferences, now), previews: preferences.mail_previews === 1 };
}

/** Returns what the reader has missed since then, as a mail may tell it. */
export const missedBy = (
  ctx: AppContext,
  { userId, previews }: DigestReader,
  since: number,
): Promise<MissedPlace[]> => missedSince(ctx, { userId, since, limit: LOOKED_AT, withTexts: previews });
