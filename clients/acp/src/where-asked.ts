import { type ParleyClient, ParleyError } from "@parley/sdk";
import { type Place, threadOf } from "./place.ts";

/** The person who is asked in the direct conversation with the agent, instead of in the thread. */
export interface DirectPerson {
  username: string;
}

/** Where a card is sent. */
export interface CardPlace {
  channel: string;
  threadRootId: number | undefined;
  /** True if the place of the turn does not show the card. */
  isElsewhere: boolean;
}

const TRIES = { maxRetries: 1_000 };

/**
 * Returns how many people the channel's rule asks for; 1 without a rule. A key that may not read does not know the rule:
 * then it is null.
 */
export async function ruledQuorum(
  calls: ParleyClient,
  { channelId }: Place,
): Promise<{ hasRule: boolean; quorum: number } | null> {
  try {
    const { channel } = await calls.channels.get(channelId, TRIES);
    return { hasRule: channel.approval_rule != null, quorum: channel.approval_rule?.quorum ?? 1 };
  } catch (error) {
    if (error instanceof ParleyError && error.status === 403) return null;
    throw error;
  }
}

/**
 * Returns where to ask, or a sentence that says why nobody can be asked. A channel's rule holds for cards in the channel
 * only, so where one is, or may be, no direct conversation takes its place.
 */
export async function placeOfCard(
  calls: ParleyClient,
  person: DirectPerson | null,
  place: Place,
  rule: { hasRule: boolean } | null,
): Promise<CardPlace | string> {
  const here = { channel: place.channel, threadRootId: threadOf(place).thread_root_id, isElsewhere: false };
  if (person === null) return here;
  const channel = await conversationWith(calls, person);
  if (channel === place.channel) return here;
  if (rule === null)
    return "My key may not read whether this channel has a rule for permissions, so nothing was permitted.";
  if (rule.hasRule)
    return "This channel has a rule about who permits, and I ask in a direct conversation only, where it does not hold. Nothing was permitted.";
  if (channel !== null) return { channel, threadRootId: undefined, isElsewhere: true };
  return `I ask ${person.username} for permissions in our direct conversation, which only ${person.username} can open. Nothing was permitted.`;
}

/** Returns the channel of the direct conversation with a person; null if they have not opened one. */
export async function conversationWith(calls: ParleyClient, { username }: DirectPerson): Promise<string | null> {
  const name = username.toLowerCase();
  for await (const channel of calls.channels.list({}, TRIES))
    if (channel.direct_with?.toLowerCase() === name) return channel.channel_slug;
  return null;
}
