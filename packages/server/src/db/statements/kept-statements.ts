/**
 * The texts that each PostgreSQL session parses and plans once, with the names of their prepared statements. It holds
 * only SQL text, nothing of any server. SQLite keeps every statement anyway.
 */
const names = new Map<string, string>();

/**
 * Marks a text on a hot path as worth keeping: for a small batch of messages, planning takes two thirds of PostgreSQL's
 * time. Call it for constant texts only, because each takes memory in every session. Returns the text.
 */
export function keepStatement(sql: string): string {
  if (!names.has(sql)) names.set(sql, `parley_${names.size + 1}`);
  return sql;
}

/** Returns the name under which sessions keep this text; undefined if they do not. */
export const keptName = (sql: string): string | undefined => names.get(sql);
