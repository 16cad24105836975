/**
 * Returns the texts of a language, with the English ones where it has none, however deep. A list is taken as a whole.
 * `translation` has the keys of `english` or fewer.
 */
export function withEnglish<T>(english: T, translation: unknown): T {
  if (!isGroup(english) || !isGroup(translation)) return english;
  const all = { ...english } as Record<string, unknown>;
  for (const [key, own] of Object.entries(translation)) {
    if (own === undefined) continue;
    all[key] = isGroup(own) && isGroup(all[key]) ? withEnglish(all[key], own) : own;
  }
  return all as T;
}

const isGroup = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
