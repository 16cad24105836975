/** Returns a line of CSV (RFC 4180) without its end. */
export const csvLine = (...cells: readonly string[]): string => cells.map(csvCell).join(",");

const csvCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
