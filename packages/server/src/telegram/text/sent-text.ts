import type { TelegramCall } from "../call.ts";
import { namesById } from "../names-by-id.ts";
import { namesOfForms } from "../names-of-forms.ts";
import { badRequest } from "../telegram-error.ts";
import type { Entity, Formatted } from "./formatted.ts";
import { parseHtml } from "./html.ts";
import { parseLegacyMarkdown } from "./legacy-markdown.ts";
import { parseMarkdownV2 } from "./markdown-v2.ts";
import { stored } from "./stored-max.ts";
import { withMentionsById, withTextMentions } from "./text-mentions.ts";
import { markdownOf } from "./to-markdown.ts";
import { withNames } from "./with-names.ts";

/** UTF-16 units of a text and of a caption, without marks. */
const TEXT_MAX = 4_096;
const CAPTION_MAX = 1_024;
const ENTITIES_MAX = 100;
const PARSERS: ReadonlyMap<string, (source: string) => Formatted> = new Map([
  ["markdownv2", parseMarkdownV2],
  ["markdown", parseLegacyMarkdown],
  ["html", parseHtml],
]);

/** Reads the text of a message as CommonMark. Errors: 400, for wrong marks and for what is too long. */
export function sentText(call: TelegramCall): Promise<string> {
  return read(call, "text", "entities", TEXT_MAX);
}

/** Reads a caption as CommonMark; "" without one. */
export function sentCaption(call: TelegramCall): Promise<string> {
  return read(call, "caption", "caption_entities", CAPTION_MAX);
}

async function read(call: TelegramCall, field: string, entitiesField: string, max: number): Promise<string> {
  const { fields } = call;
  const source = fields.text(field) ?? "";
  const formatted = formattedBy(source, fields.text("parse_mode"), fields.object(entitiesField));
  if (formatted.text.length > max)
    throw badRequest(field === "text" ? "message is too long" : "message caption is too long");
  return contentOf(call, formatted);
}

/** Reads the caption of one file of a group. */
export async function captionOf(
  call: TelegramCall,
  { source, parseMode, entities }: { source: string; parseMode: string | undefined; entities: unknown },
): Promise<string> {
  const formatted = formattedBy(source, parseMode, entities);
  if (formatted.text.length > CAPTION_MAX) throw badRequest("message caption is too long");
  return contentOf(call, formatted);
}

/** Returns the CommonMark of a text, in which names stand for their ASCII forms and for ids. */
async function contentOf(call: TelegramCall, given: Formatted): Promise<string> {
  const formatted = withTextMentions(given);
  const names = await namesOfForms(call.ctx, formatted.text);
  const named = names.size === 0 ? formatted : withNames(formatted, names);
  const byId = await namesById(call, named);
  return stored(markdownOf(byId.size === 0 ? named : withMentionsById(named, byId)));
}

function formattedBy(source: string, parseMode: string | undefined, entities: unknown): Formatted {
  if (parseMode === undefined) return { text: source, entities: entitiesOf(entities) };
  const parse = PARSERS.get(parseMode.toLowerCase());
  if (parse === undefined) throw badRequest("unsupported parse_mode");
  return parse(source);
}

function entitiesOf(given: unknown): Entity[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) throw badRequest("can't parse MessageEntity: expected an Array");
  return given.slice(0, ENTITIES_MAX).flatMap((entity: unknown): Entity[] => {
    if (entity === null || typeof entity !== "object")
      throw badRequest("can't parse MessageEntity: expected an Object");
    const { type, offset, length, url, language, user } = entity as Record<string, unknown>;
    if (typeof type !== "string" || !isCount(offset) || !isCount(length))
      throw badRequest("can't parse MessageEntity: it needs type, offset and length");
    return [
      {
        type,
        offset,
        length,
        ...(typeof url === "string" ? { url } : {}),
        ...(typeof language === "string" ? { language } : {}),
        ...(user !== null && typeof user === "object" ? { user } : {}),
      },
    ];
  });
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
