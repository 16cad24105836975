// Reads what an export says: every field may be absent, or of any type.

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields | undefined =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : undefined;

/** Returns the fields of what is in a field; none if it is no object. */
export const partOf = (fields: Fields, name: string): Fields => fieldsOf(fields[name]) ?? {};

/** Slack's texts have at most 40,000 characters. A tree of a much longer one would not fit into memory. */
export const TEXT_MAX = 400_000;

/** Returns a text; empty if it is none, or longer than any. */
export const textOf = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === "string" && value.length <= TEXT_MAX ? value : "";
};

/** Returns the objects of a list. */
export const partsOf = (fields: Fields, name: string): Fields[] =>
  listOf(fields, name)
    .map(fieldsOf)
    .filter((part) => part !== undefined);

/** Returns the texts of a list, each once. */
export const textsOf = (fields: Fields, name: string): string[] => {
  const texts = listOf(fields, name).filter((value) => typeof value === "string");
  return [...new Set(texts.filter((text) => text !== ""))];
};

const listOf = (fields: Fields, name: string): readonly unknown[] => {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
};

/** Returns a number of 0 and above, also if it is written as text; null if it is none. */
export function countOf(fields: Fields, name: string): number | null {
  const value = fields[name];
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}
