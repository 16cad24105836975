import type { LinkData, PhrasingContent } from "mdast";
import { decoded } from "./entities.ts";

/** The names of the people and channels of the export. */
export interface SlackNames {
  person(id: string): string | undefined;
  channel(id: string): string | undefined;
}

const SPECIAL = /^!(?:here|channel|everyone|group|subteam\^.*|date\^.*)$/;
const LINKED = /^(?:https?:\/\/|mailto:)[^\s<>]+$/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const PERMALINK =
  /^https:\/\/[a-z0-9-]+(?:\.enterprise)?\.slack\.com\/archives\/([A-Z0-9]+)(?:\/p(\d{10})(\d{6}))?\/?(?:[?#]|$)/i;

const text = (value: string): PhrasingContent => ({ type: "text", value });

/**
 * Returns what Slack shows for a reference, which it writes between `<` and `>`; undefined if the content is none, and
 * so the signs are a part of the text.
 */
export function reference(content: string, names: SlackNames): PhrasingContent | undefined {
  const bar = content.indexOf("|");
  const target = decoded(bar < 0 ? content : content.slice(0, bar));
  const label = bar < 0 ? "" : decoded(content.slice(bar + 1));
  const id = target.slice(1);
  if (target.startsWith("@") && id !== "") return mention(id, label, names);
  if (target.startsWith("#") && id !== "") return channelName(id, label, names);
  if (SPECIAL.test(target)) return special(id, label);
  return SCHEME.test(target) ? link(target, label) : undefined;
}

/** Returns the words of a web reference, for code, where nothing is a link. Others stay as they are written. */
export function wordsInCode(code: string): string {
  const shown = code.replace(/<([a-z][a-z0-9+.-]*:[^<>|\n]+)(?:\|([^<>\n]*))?>/gi, (_, url: string, label?: string) =>
    label === undefined || label === "" ? url : label,
  );
  return decoded(shown);
}

function mention(userId: string, label: string, names: SlackNames): PhrasingContent {
  const name = names.person(userId) ?? (label.replace(/^@/, "") || userId);
  return { type: "sourceMention", userId, label: `@${name}` };
}

function channelName(channelId: string, label: string, names: SlackNames): PhrasingContent {
  const name = names.channel(channelId) ?? (label.replace(/^#/, "") || channelId);
  return { type: "sourceChannel", channelId, label: `#${name}` };
}

/** `!here`, `!subteam^S1|@ops`, `!date^seconds^format^address|fallback`. Groups are no mentions: they are text. */
function special(command: string, label: string): PhrasingContent {
  const [word = "", argument = "", , address = ""] = command.split("^");
  if (word === "date") return dateOf(argument, address, label);
  if (label !== "") return text(word === "subteam" ? `@${label.replace(/^@/, "")}` : label);
  return text(`@${word === "subteam" ? argument : word}`);
}

function dateOf(seconds: string, address: string, label: string): PhrasingContent {
  const at = new Date(Number(seconds) * 1000);
  const moment = Number.isNaN(at.getTime()) ? "" : `${at.toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return LINKED.test(address) ? link(address, label || moment) : text(label || moment);
}

/** An address of another kind, such as `tel:` or `javascript:`, is never a link. */
function link(address: string, label: string): PhrasingContent {
  const shown = label.replace(/\s+/g, " ").trim();
  if (!LINKED.test(address)) return text(shown || address);
  const bare = address.replace(/^mailto:/i, "");
  if (bare !== address && (shown === "" || shown === bare)) return text(bare);
  const target = targetOf(address);
  return {
    type: "link",
    url: address,
    children: [{ type: "text", value: shown || address }],
    ...(target === undefined ? {} : { data: { target } }),
  };
}

/** Returns the message or channel of Slack to which an address leads. */
function targetOf(address: string): LinkData["target"] {
  const [, channelId, seconds, micros] = PERMALINK.exec(address) ?? [];
  if (channelId === undefined) return undefined;
  return { channelId, messageId: seconds === undefined ? null : `${channelId}/${seconds}.${micros}` };
}
