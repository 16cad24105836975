import type { Activity, ActivityInput } from "@parley/protocol/activity";
import { mergeActivity } from "@parley/protocol/merge-activity";
import { isBlank, oneLine, optionalText } from "../../base/visible-text.ts";
import { fail } from "../../errors.ts";
import type { StoredCard } from "../../event-log/stored-card.ts";

/** The most bytes of the JSON of a message's activity: readers get it with every page. */
export const ACTIVITY_BYTES = 16 * 1_024;

/**
 * Returns acts as they are stored: each text on one line, without characters that change how the page around it is
 * shown. A title without a visible character becomes the kind. Errors: `invalid_request` for an id without one.
 */
export function cleanActivity(acts: readonly ActivityInput[] | null | undefined): Activity[] {
  return (acts ?? []).map(({ id, title, kind, status, target, ms }, at) => {
    const cleanId = oneLine(id);
    if (isBlank(cleanId))
      throw fail("invalid_request", {
        details: [{ path: `activity.${at}.id`, message: "must have a visible character" }],
      });
    const cleanTarget = target == null ? null : optionalText(oneLine(target));
    return {
      id: cleanId,
      title: optionalText(oneLine(title)) ?? kind,
      kind,
      status,
      ...(cleanTarget === null ? {} : { target: cleanTarget }),
      ...(ms == null ? {} : { ms }),
    };
  });
}

/** Adds acts to those held, as `mergeActivity` does, and drops the oldest until they fit. */
export function addActivity(held: readonly Activity[], acts: readonly Activity[]): Activity[] {
  let all = mergeActivity(held, acts);
  while (Buffer.byteLength(JSON.stringify(all)) > ACTIVITY_BYTES) all = all.slice(1);
  return all;
}

/** Returns the acts of a stored list. */
export const activityIn = (json: string | null): Activity[] => (json === null ? [] : (JSON.parse(json) as Activity[]));

/** Returns the contents of `messages.card` with what the agent did. */
export function withActivity(card: string | null, activity: readonly Activity[] | undefined): string | null {
  if (activity === undefined || activity.length === 0) return card;
  const shown = card === null ? {} : (JSON.parse(card) as StoredCard);
  return JSON.stringify({ ...shown, activity: [...activity] } satisfies StoredCard);
}
