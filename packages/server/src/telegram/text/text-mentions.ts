import type { Entity, Formatted } from "./formatted.ts";

/** Marks in which nobody is mentioned. */
const QUIET: ReadonlySet<string> = new Set(["code", "pre", "text_link"]);
/** The address by which Markdown and HTML mention somebody. */
const ADDRESS = /^tg:\/\/user\?id=(\d{1,16})$/i;
const WORD = /[\p{L}\p{M}\p{N}_.@/-]/u;

/** Mentions of a text; Telegram has a limit of this size, too. */
const MENTIONS_MAX = 100;

/** Reads links to people as the mentions that they are; of those above the limit only the text is kept. */
export function withTextMentions({ text, entities }: Formatted): Formatted {
  let found = 0;
  const read = (entity: Entity): Entity[] => {
    const [, id] = (entity.type === "text_link" && ADDRESS.exec(entity.url ?? "")) || [];
    if (id === undefined) return [entity];
    return ++found > MENTIONS_MAX ? [] : [{ ...entity, type: "text_mention", user: { id } }];
  };
  return { text, entities: entities.flatMap(read) };
}

/** Returns the id that a mark mentions, as text; null: it is no such mark, or in code or in a link. */
export function mentionedId({ type, user, offset }: Entity, entities: readonly Entity[]): string | null {
  if (type !== "text_mention" || (typeof user?.id !== "number" && typeof user?.id !== "string")) return null;
  const isQuiet = entities.some((other) => QUIET.has(other.type) && offset >= other.offset && offset < endOf(other));
  return isQuiet ? null : String(user.id);
}

/**
 * Writes a mention where a mark names somebody by their id; `names` are by the id. Where the text is another one than the
 * name it stays, with the mention behind it.
 */
export function withMentionsById({ text, entities }: Formatted, names: ReadonlyMap<string, string>): Formatted {
  const marks = entities
    .flatMap((entity) => {
      const name = names.get(mentionedId(entity, entities) ?? "");
      return name === undefined || endOf(entity) > text.length ? [] : [{ entity, name }];
    })
    .toSorted((one, other) => one.entity.offset - other.entity.offset);
  /** What was inserted, by its place in the text before. */
  const inserted: { at: number; text: string }[] = [];
  let from = 0;
  for (const { entity, name } of marks) {
    if (entity.offset < from) continue;
    from = endOf(entity);
    const shown = text.slice(entity.offset, from);
    const isName = shown.toLowerCase() === name.toLowerCase();
    const isAlone = !WORD.test(text.charAt(entity.offset - 1)) && !WORD.test(text.charAt(from));
    if (isName && isAlone) inserted.push({ at: entity.offset, text: "@" });
    else if (shown.toLowerCase() !== `@${name}`.toLowerCase()) inserted.push({ at: from, text: ` (@${name})` });
  }
  const kept = entities.filter(({ type }) => type !== "text_mention");
  return { text: textWith(text, inserted), entities: kept.map((entity) => moved(entity, inserted)) };
}

const endOf = ({ offset, length }: Entity): number => offset + length;

function textWith(text: string, inserted: readonly { at: number; text: string }[]): string {
  let [all, from] = ["", 0];
  for (const { at, text: more } of inserted) {
    all += text.slice(from, at) + more;
    from = at;
  }
  return all + text.slice(from);
}

/** What was inserted at the beginning of a mark is within it, and what was inserted at its end is behind it. */
function moved(entity: Entity, inserted: readonly { at: number; text: string }[]): Entity {
  const before = inserted.filter(({ at }) => at < entity.offset);
  const within = inserted.filter(({ at }) => at >= entity.offset && at < endOf(entity));
  const sum = (list: typeof before) => list.reduce((total, { text }) => total + text.length, 0);
  return { ...entity, offset: entity.offset + sum(before), length: entity.length + sum(within) };
}
