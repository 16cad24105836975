import { type Reachable, reachableUser } from "../accounts/addresses/confirmed.ts";
import { mailSink } from "../accounts/mails.ts";
import { ownPreferences } from "../channels/preferences/preferences.ts";
import { quietEnd } from "../channels/preferences/push-preferences.ts";
import type { AppContext } from "../context.ts";
import { type MissedPlace, missedSince } from "../notifications/missed/missed.ts";

/** Messages that a digest looks at; of more only the newest. */
const LOOKED_AT = 200;

/** Somebody who gets digests now. */
export interface DigestReader extends Reachable {
  digest: "away" | "daily";
  zone: string | null;
  /** Epoch milliseconds: `now` if it is not quiet. */
  quietUntil: number;
  previews: boolean;
}

/**
 * Returns how a user gets digests now (epoch milliseconds); null: not at all, because they chose so, have not confirmed the address that they
 * have, or are suspended or gone.
 */
export async function readerOf(ctx: AppContext, userId: number, now: number): Promise<DigestReader | null> {
  const preferences = await ownPreferences(ctx, userId);
  const { digest, zone } = preferences;
  if (digest === "off") return null;
  const reachable = await reachableUser(ctx, userId);
  if ("dropped" in reachable || (await mailSink.of(ctx).isStopped(ctx, reachable.address))) return null;
  const quietUntil = quietEnd(preferences, now);
  return { ...reachable, digest, zone, quietUntil, previews: preferences.mail_previews === 1 };
}

/** Returns what the reader has missed since then, as a mail may tell it. */
export const missedBy = (ctx: AppContext, { user, previews }: DigestReader, since: number): Promise<MissedPlace[]> =>
  missedSince(ctx, { userId: user.id, since, limit: LOOKED_AT, withTexts: previews });
