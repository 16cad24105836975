import { ParleyError } from "@parley/sdk";
import { type Asking, cancelCard } from "./permission.ts";
import { type Place, threadOf } from "./place.ts";

/** The newest messages of a place in which open questions are looked for. */
const LOOKED_AT = 100;

/**
 * Cancels the questions that an earlier run left open in a place, before the turn asks anew: an answer to them must not
 * count. The state file names those that it had time to note; the others are found by their keys.
 */
export async function cancelOpenCards(
  asking: Asking,
  place: Place,
  noted: readonly number[],
  say: (line: string) => void,
): Promise<void> {
  const ids = new Set(noted);
  try {
    const query = { channel_slug: place.channel, limit: LOOKED_AT, ...threadOf(place) };
    const { messages } = await asking.client.calls.messages(query, { maxRetries: 1_000 });
    for (const { client_msg_id, interaction } of messages) {
      const isOwn = client_msg_id !== null && /^acp-\d+-\d+-card-\d+$/.test(client_msg_id);
      if (isOwn && interaction?.status === "open") ids.add(interaction.interaction_id);
    }
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status === 401) throw error;
    say(`Open questions could not be looked for: ${error.message}`);
  }
  for (const id of ids) await cancelCard(asking, id);
}
