import { CONTENT_MAX } from "@parley/protocol/limits";

// Turns the payloads of Slack's incoming webhooks, and of the alerting programs that everybody has, into text. A payload
// is a stranger's: every field may have any type, and lists are read only as far as a message can be long.

type Fields = Record<string, unknown>;

const LIST_MAX = 100;
const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };
const DIVIDER = "---";

/** Returns the text of a payload; empty if it says nothing. */
export function textOfPayload(payload: Fields): string {
  const blocks = textOfBlocks(payload.blocks);
  const attachments = listOf(payload.attachments).map(textOfAttachment);
  // Slack shows `text` only where there are no blocks.
  const said = blocks === "" ? slackText(payload.text) : blocks;
  const slack = paragraphs([said, ...attachments]);
  if (slack !== "") return slack;
  const alerts = textOfAlerts(payload);
  // Uptime Kuma.
  return alerts === "" ? stringOf(payload.msg) : alerts;
}

/** Cuts a text to what a message may hold, in characters (code points). */
export function cutToMessage(text: string): string {
  if (text.length <= CONTENT_MAX) return text;
  const points = [...text.slice(0, 2 * CONTENT_MAX + 2)];
  return points.length <= CONTENT_MAX ? points.join("") : `${points.slice(0, CONTENT_MAX - 1).join("")}…`;
}

/** Returns Slack's mrkdwn as text: links become Markdown, references plain text, and entities characters. */
export function slackText(value: unknown): string {
  return stringOf(value)
    .replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, label: string | undefined) => reference(target, label))
    .replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function reference(target: string, label: string | undefined): string {
  if (/^(?:https?|mailto):/i.test(target)) {
    const isPlain = label === undefined || label === "" || label === target;
    return isPlain
      ? target.replace(/^mailto:/i, "")
      : `[${label.replace(/[[\]]/g, "")}](${target.replaceAll(")", "%29")})`;
  }
  const name = label === undefined || label === "" ? target.slice(1).split("^")[0] : label;
  if (target.startsWith("@") || target.startsWith("!")) return `@${String(name).replace(/^@/, "")}`;
  return target.startsWith("#") ? `#${String(name).replace(/^#/, "")}` : (label ?? target);
}

function textOfBlocks(value: unknown): string {
  return paragraphs(listOf(value).map(textOfBlock));
}

function textOfBlock(block: Fields): string {
  switch (block.type) {
    case "header":
      return strong(textObject(block.text));
    case "section":
      return lines([textObject(block.text), ...listOf(block.fields).map(textObject)]);
    case "context":
      return listOf(block.elements).map(textObject).filter(Boolean).join(" · ");
    case "divider":
      return DIVIDER;
    default:
      return "";
  }
}

/** Returns the text of a text object: `{type: "mrkdwn" | "plain_text", text}`. */
function textObject(value: unknown): string {
  const { type, text } = fieldsOf(value);
  return type === "plain_text" ? stringOf(text) : slackText(text);
}

function textOfAttachment(attachment: Fields): string {
  const { title_link: link } = attachment;
  const title = slackText(attachment.title);
  const isLinked = title !== "" && typeof link === "string" && /^https?:/i.test(link);
  const fields = listOf(attachment.fields).map((field) =>
    [strong(slackText(field.title)), slackText(field.value)].filter(Boolean).join(" "),
  );
  const shown = lines([
    slackText(attachment.pretext),
    slackText(attachment.author_name),
    isLinked ? reference(link, title) : strong(title),
    slackText(attachment.text),
    ...fields,
    textOfBlocks(attachment.blocks),
    slackText(attachment.footer),
  ]);
  return shown === "" ? slackText(attachment.fallback) : shown;
}

/** Alertmanager's own webhook, which has neither `text` nor `message`. */
function textOfAlerts({ status, alerts, externalURL }: Fields): string {
  const all = listOf(alerts).map((alert) => {
    const [labels, annotations] = [fieldsOf(alert.labels), fieldsOf(alert.annotations)];
    const about = stringOf(annotations.summary) || stringOf(annotations.description) || stringOf(annotations.message);
    const name = stringOf(labels.alertname) || "alert";
    const place = stringOf(labels.instance);
    return `- ${stringOf(alert.status)} ${strong(name)}${place === "" ? "" : ` on ${place}`}${about === "" ? "" : `: ${about}`}`;
  });
  if (all.length === 0) return "";
  return lines([strong(`${stringOf(status).toUpperCase()} (${all.length})`), ...all, stringOf(externalURL)]);
}

const strong = (text: string): string => (text === "" ? "" : `**${text}**`);
const lines = (texts: readonly string[]): string => texts.filter(Boolean).join("\n");
const paragraphs = (texts: readonly string[]): string => texts.filter(Boolean).join("\n\n");
const stringOf = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.slice(0, LIST_MAX).map(fieldsOf) : []);
