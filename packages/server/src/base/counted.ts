/** Writes a number with its noun: `1 item`, `2 items`, `1 entry` (with the plural `entries`). */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
