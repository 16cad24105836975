import type { Poll } from "@parley/protocol/polls";
import type { MessageRow, RecordMention } from "../../event-log/message-json.ts";
import { type StoredCard, storedCard } from "../../event-log/stored-card.ts";
import { sizeText } from "../../imports/write/message-text.ts";
import type { PrintedText } from "../../imports/write/text.ts";
import type { ExportFile } from "./files.ts";
import type { PacketFacts } from "./messages.store.ts";

/** The things that a message carries besides its text. */
interface Carried {
  readonly files: readonly ExportFile[];
  /** Files whose bytes are not in the export. */
  readonly lost: readonly ExportFile[];
  readonly packet: PacketFacts | undefined;
}

/**
 * Returns the text of a message in Markdown, with lines for what no other chat has: the buttons and the decision of a card,
 * the options of a poll, the shares of a red packet, the words of a voice note. What was forwarded is in the text already.
 */
export function contentOf(row: MessageRow, { files, lost, packet }: Carried): PrintedText {
  const card = storedCard(row);
  const lines = [
    ...(packet === undefined ? [] : [packetLine(packet)]),
    ...(card === null ? [] : cardLines(card)),
    ...[...files, ...lost].flatMap(({ transcript }) =>
      transcript === null ? [] : [`Transcript: ${plain(transcript)}`],
    ),
    ...lost.map(({ name, size }) => `${plain(name)} (${sizeText(size)})`),
  ];
  const mentions = row.mentions === null ? [] : (JSON.parse(row.mentions) as RecordMention[]);
  const added = lines.join("\n");
  // The text of a poll is its question and options, without the counts.
  if (isPoll(card?.feature)) return { content: added, mentions: [] };
  if (added === "") return { content: row.content, mentions };
  return { content: row.content === "" ? added : `${row.content}\n\n${added}`, mentions };
}

/** Returns a text as Markdown that has no marks. */
const plain = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\`*_~[\]<>#|!]/g, "\\$&");

function packetLine({ count, total_amount, currency, decimals }: PacketFacts): string {
  const digits = total_amount.padStart(decimals + 1, "0");
  const [whole, part] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)];
  const amount = part.replace(/0+$/, "") === "" ? whole : `${whole}.${part.replace(/0+$/, "")}`;
  return `Red packet: ${amount} ${plain(currency)}, ${count === 1 ? "1 share" : `${count} shares`}`;
}

function cardLines({ components, interaction, feature }: StoredCard): string[] {
  const rows = (components ?? []).map(({ elements }) =>
    elements
      .map((element) => {
        if (element.type === "link")
          return `[${plain(element.label)}](<${element.url.replace(/[<>\\\s]/g, encodeURIComponent)}>)`;
        if (element.type === "select") return `\\[${element.options.map(({ label }) => plain(label)).join(" / ")}\\]`;
        return `\\[${plain(element.label)}\\]`;
      })
      .join(" "),
  );
  return [
    ...rows,
    ...(interaction === undefined ? [] : decision(interaction)),
    ...(isPoll(feature) ? pollLines(feature.record) : []),
  ];
}

function decision({ status, result, kind }: NonNullable<StoredCard["interaction"]>): string[] {
  if (kind === "menu") return [];
  if (result === null) return status === "open" ? [] : [`The question is ${status}.`];
  return [`${plain(result.username)} chose ${plain(result.value ?? result.action_id)}.`];
}

const isPoll = (feature: StoredCard["feature"]): feature is { name: "poll"; record: Poll } => feature?.name === "poll";

const pollLines = ({ question, options }: Poll): string[] => [
  plain(question),
  ...options.map(({ text, count }) => `- ${plain(text)} (${count})`),
];
