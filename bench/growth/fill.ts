import { Database } from "bun:sqlite";

/** Copies a row `count` times. `changed` has SQL for the columns that differ, in which `i` counts from 1. */
function copyRow(
  database: Database,
  table: string,
  where: string,
  count: number,
  changed: Record<string, string>,
): void {
  const columns = database.query<{ name: string }, []>(`select name from pragma_table_info('${table}')`).all();
  const kept = columns.map(({ name }) => name).filter((name) => name !== "id");
  database.run(
    `insert into ${table} (${kept.join(", ")})
     with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ?)
     select ${kept.map((name) => changed[name] ?? name).join(", ")} from numbers, ${table} where ${where}`,
    [count],
  );
}

/** Adds channels to the database of a stopped server. */
export function addChannels(file: string, count: number): void {
  using database = new Database(file);
  copyRow(database, "channels", "slug = 'general'", count, { name: "'grown ' || i", slug: "'grown-' || i" });
}

/** Adds members to #general in the database of a stopped server. */
export function addMembers(file: string, count: number): void {
  using database = new Database(file);
  const changed = { username: "'grown' || i", username_key: "'grown' || i", invite_code: "'grown' || i" };
  copyRow(database, "users", "username = 'bench_0'", count, changed);
  database.run(
    `insert into channel_members (channel_id, user_id, role, joined_at)
     select c.id, u.id, 'member', (u.id * 7919) % 1000003 from channels c, users u
     where c.slug = 'general' and u.username like 'grown%'`,
  );
}
