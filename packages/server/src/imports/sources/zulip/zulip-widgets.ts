import type { BlockContent, PhrasingContent } from "mdast";
import { type Fields, fieldsOf, partsOf, textOf } from "../fields.ts";
import type { SubMessage } from "./zulip-index.ts";

const OPTIONS_MAX = 500;
const WIDGET = /^\/(poll|todo)\b[ \t]*/;
const BULLET = /^\s*(?:[-*+]\s+)?/;

/** Returns a poll or list of tasks as text, with the counts of votes; null for other messages. */
export function widgetOf(content: string, submessages: () => readonly SubMessage[]): BlockContent[] | null {
  const [, kind] = WIDGET.exec(content) ?? [];
  if (kind === undefined) return null;
  const [title = "", ...lines] = content.replace(WIDGET, "").split("\n");
  const listed = lines.map((line) => line.replace(BULLET, "").trim()).filter(Boolean);
  const events = submessages().map(({ sender, content }) => ({ sender, fields: fieldsIn(content) }));
  const shown =
    kind === "poll"
      ? withVotes(listed, events)
      : [...listed, ...events.map(({ fields }) => taskOf(fields)).filter(Boolean)];
  const items = shown.slice(0, OPTIONS_MAX).map((each) => ({
    type: "listItem" as const,
    spread: false,
    children: [paragraph([text(each)])],
  }));
  return [
    ...(title.trim() === "" ? [] : [paragraph([{ type: "strong", children: [text(title.trim())] }])]),
    ...(items.length === 0 ? [] : [{ type: "list" as const, ordered: false, spread: false, children: items }]),
  ];
}

interface Event {
  readonly sender: string;
  readonly fields: Fields;
}

function fieldsIn(json: string): Fields {
  try {
    return fieldsOf(JSON.parse(json)) ?? {};
  } catch {
    return {};
  }
}

/** Options of the question are known by their places, those that people added by the person and a number. */
function withVotes(listed: readonly string[], events: readonly Event[]): string[] {
  const options = new Map(listed.map((option, place): [string, string] => [`canned,${place}`, option]));
  const votes = new Map<string, Set<string>>();
  for (const { sender, fields } of events) {
    if (textOf(fields, "type") === "new_option" && options.size < OPTIONS_MAX)
      options.set(`${sender},${String(fields.idx)}`, textOf(fields, "option"));
    if (textOf(fields, "type") !== "vote") continue;
    const key = textOf(fields, "key");
    const people = votes.get(key) ?? new Set();
    if (fields.vote === 1) people.add(sender);
    else people.delete(sender);
    if (options.has(key)) votes.set(key, people);
  }
  return [...options].map(([key, option]) => `${option} (${votes.get(key)?.size ?? 0})`);
}

function taskOf(fields: Fields): string {
  if (textOf(fields, "type") === "new_task")
    return [textOf(fields, "task"), textOf(fields, "desc")].filter(Boolean).join(": ");
  return partsOf(fields, "tasks")
    .map((task) => textOf(task, "task"))
    .join(", ");
}

const text = (value: string): PhrasingContent => ({ type: "text", value });
const paragraph = (children: PhrasingContent[]): { type: "paragraph"; children: PhrasingContent[] } => ({
  type: "paragraph",
  children,
});
