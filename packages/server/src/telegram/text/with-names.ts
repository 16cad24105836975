import type { Entity, Formatted } from "./formatted.ts";

/** A mention in a text as a bot may write it, in its ASCII form. */
export const WRITTEN = /(?<![\w.])@(\w{2,64})/g;
/** Marks in which nobody is mentioned. */
const QUIET: ReadonlySet<string> = new Set(["code", "pre", "text_link", "text_mention"]);

/** Writes names instead of their ASCII forms; `names` are by the form in lower case. Code and links stay as they are. */
export function withNames({ text, entities }: Formatted, names: ReadonlyMap<string, string>): Formatted {
  const quiet = entities.filter(({ type }) => QUIET.has(type));
  /** Where the text grew, by its offset before, and by how much. */
  const growths: { at: number; by: number }[] = [];
  const replaced = text.replace(WRITTEN, (all, form: string, at: number) => {
    const name = names.get(form.toLowerCase());
    if (name === undefined || quiet.some(({ offset, length }) => at >= offset && at < offset + length)) return all;
    growths.push({ at: at + all.length, by: name.length - form.length });
    return `@${name}`;
  });
  const moved = (place: number) => growths.reduce((sum, { at, by }) => (at <= place ? sum + by : sum), place);
  const shifted = entities.map((entity): Entity => {
    const offset = moved(entity.offset);
    return { ...entity, offset, length: moved(entity.offset + entity.length) - offset };
  });
  return { text: replaced, entities: shifted };
}
