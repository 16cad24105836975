import type { AppContext } from "../../context.ts";
import type { MessageRow, RecordMention } from "../../event-log/message-json.ts";
import { hook } from "../../hook.ts";
import { deleteMentionsOf } from "../inbox/inbox-rows.ts";
import { callsHere } from "./here.ts";
import { type Mentioned, NOBODY } from "./resolve-mentions.ts";

/**
 * Receives the names of the users whom an edit has taken out of a message that still calls everybody with `@here`, in the
 * transaction of the edit. Later nothing distinguishes their notifications from those of the call.
 */
export const onUnnamed = hook<(ctx: AppContext, messageId: number, usernames: readonly string[]) => Promise<void>>();

/**
 * Removes the items of agents whom the text does not mention any more, also acknowledged ones: a later edit may mention
 * them again. `mentions`: those of the edited message. A message without mentions costs nothing.
 */
export async function withdrawMentions(
  ctx: AppContext,
  before: MessageRow,
  mentions: readonly RecordMention[],
): Promise<void> {
  const goneOf = (type: RecordMention["type"]) => {
    const kept = namesIn(type, mentions);
    return namesIn(type, mentionsOf(before)).filter((name) => !kept.includes(name));
  };
  const agents = goneOf("agent");
  if (agents.length > 0) await deleteMentionsOf(ctx.db, before.id, agents);
  const users = callsHere(mentions) ? goneOf("user") : [];
  if (users.length > 0) for (const act of onUnnamed.of(ctx)) await act(ctx, before.id, users);
}

const mentionsOf = ({ mentions }: MessageRow): RecordMention[] =>
  mentions === null ? [] : (JSON.parse(mentions) as RecordMention[]);

/** Returns what an edited text mentions: an edit calls nobody, so an `@here` that it adds is plain text. */
export const withoutNewCall = (before: MessageRow, mentions: readonly RecordMention[]): readonly RecordMention[] =>
  callsHere(mentions) && !callsHere(mentionsOf(before)) ? mentions.filter(({ type }) => type !== "here") : mentions;

const namesIn = (of: RecordMention["type"], mentions: readonly RecordMention[]): string[] =>
  mentions.flatMap(({ type, name, quoted }) => (type === of && quoted !== true ? [name] : []));

/**
 * Returns the mentions that the text did not have before the edit; only those are notified. The agent of a direct
 * conversation has the message in its inbox already.
 */
export function newlyMentioned(before: MessageRow, mentioned: Mentioned): Mentioned {
  if (mentioned === NOBODY) return mentioned;
  const ringing = mentionsOf(before).filter(({ quoted }) => quoted !== true);
  const known = new Set(ringing.map(({ type, name }) => `${type} ${name}`));
  return {
    mentions: mentioned.mentions.filter(({ type, name }) => !known.has(`${type} ${name}`)),
    users: mentioned.users.filter(({ username }) => !known.has(`user ${username}`)),
    agents: mentioned.agents.filter(({ kind, agentName }) => kind === "mention" && !known.has(`agent ${agentName}`)),
  };
}
