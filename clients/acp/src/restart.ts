import { ParleyError } from "@parley/sdk";
import { type Asking, cancelCard } from "./permission.ts";
import { type Place, threadOf } from "./place.ts";
import { conversationWith } from "./where-asked.ts";

/** The newest messages of a place in which open questions are looked for. */
const LOOKED_AT = 100;

/**
 * Cancels the questions that an earlier run left open in a place, before the turn asks anew: an answer to them must not
 * count. The state file names those that it had time to note; the others are found by their keys.
 */
export async function cancelOpenCards(
  asking: Asking,
  { place, itemId, noted }: { place: Place; itemId: number; noted: readonly number[] },
  say: (line: string) => void,
): Promise<void> {
  const ids = new Set(noted);
  try {
    const here = { channel_slug: place.channel, ...threadOf(place) };
    for (const id of await openCards(asking, here, /^acp-\d+-\d+-card-\d+$/)) ids.add(id);
    const direct = asking.direct === null ? null : await conversationWith(asking.calls, asking.direct);
    // Turns of all places ask there.
    if (direct !== null && direct !== place.channel)
      for (const id of await openCards(asking, { channel_slug: direct }, new RegExp(`^acp-${itemId}-\\d+-card-\\d+$`)))
        ids.add(id);
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status === 401) throw error;
    say(`Open questions could not be looked for: ${error.message}`);
  }
  for (const id of ids) await cancelCard(asking, id);
}

async function openCards(
  { client }: Asking,
  where: { channel_slug: string; thread_root_id?: number },
  keys: RegExp,
): Promise<number[]> {
  const { messages } = await client.calls.messages({ ...where, limit: LOOKED_AT }, { maxRetries: 1_000 });
  return messages.flatMap(({ client_msg_id, interaction }) =>
    interaction?.status === "open" && client_msg_id !== null && keys.test(client_msg_id)
      ? [interaction.interaction_id]
      : [],
  );
}
