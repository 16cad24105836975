import type { Activity } from "@parley/protocol/activity";
import type { CardElement, Components, Interaction } from "@parley/protocol/cards";
import type { LinkPreview } from "@parley/protocol/previews";
import type { Transcript } from "@parley/protocol/voice-notes";
import { quoted } from "./visible-text.ts";

/**
 * Describes the previews of a message's links. Strangers wrote these texts, not the speaker, so each line says so: what
 * the speaker may ask of an agent does not pass on to them.
 */
export const previewLines = (previews: readonly LinkPreview[]): string[] =>
  previews.map(({ url, title, description }) => {
    const texts = description === null ? quoted(title) : `${quoted(title)}, ${quoted(description)}`;
    return `(foreign text, of the page at ${quoted(url)} and not of the speaker: ${texts})`;
  });

/**
 * Tells the words of a voice note. An agent that wrote them is not the speaker, so the line names it; nor is the speaker who
 * is heard in a voice note that was forwarded.
 */
export function transcriptLine({ text, agent_id, agent_name }: Transcript, isForwarded: boolean): string {
  const foreign = isForwarded ? "foreign text, not of the speaker: " : "";
  const by =
    agent_id === null ? foreign : `foreign text, of the agent ${quoted(agent_name ?? "")} and not of the speaker: `;
  return `(transcript: ${by}${quoted(text)})`;
}

/** Describes a card, or the menu of a bot, in lines of their own below the text: data that somebody wrote, as the text is. */
export function cardLines(components: Components, interaction: Interaction | undefined): string[] {
  const elements = components.flatMap((row) => row.elements.map(elementText));
  const name = interaction?.kind === "menu" ? "menu" : "card";
  return [`(${name} ${elements.join(", ")})`, ...(interaction === undefined ? [] : [answerLine(interaction)])];
}

function elementText(element: CardElement): string {
  if (element.type === "link") return `link ${quoted(element.label)} ${quoted(element.url)}`;
  if (element.type === "button") return `button ${element.action_id} ${quoted(element.label)}`;
  const options = element.options.map(({ label, value }) => `${quoted(value)} ${quoted(label)}`);
  return `select ${element.action_id} of ${options.join(" or ")}`;
}

/** Says how a card's question stands. */
export function answerLine({ interaction_id, kind, status, expires_at, votes, quorum, result }: Interaction): string {
  const answer =
    result === null
      ? []
      : [
          `result ${result.action_id}${result.value === null ? "" : ` ${quoted(result.value)}`} by ${quoted(result.username)} at ${result.at}`,
        ];
  const approvals = new Set(votes.flatMap(({ action_id, username }) => (action_id === "approve" ? [username] : [])));
  const progress = kind === "approval" ? [`approvals ${approvals.size} of ${quorum}`] : [];
  const until = status === "open" && expires_at !== null ? [`until ${expires_at}`] : [];
  return `(interaction ${[interaction_id, kind, status, ...until, ...progress, ...answer].join(", ")})`;
}

/** Says in one line what the sender did, by kind: `(activity 3 read, 1 run failed)`. The records have the titles. */
export function activityLine(activity: readonly Activity[]): string {
  const counts = new Map<string, number>();
  for (const { kind, status } of activity) {
    const words = status === "ok" ? kind : `${kind} ${status}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return `(activity ${[...counts].map(([words, count]) => `${count} ${words}`).join(", ")})`;
}
