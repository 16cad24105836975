import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";

/** Checkpoints in all modes, holds old readers and copies the database in the first argument, as fast as it can. */
function disturb(path: string): void {
  const copy = `${path}.hostile-copy`;
  for (;;) {
    using database = new Database(path, { create: false, readwrite: true });
    database.run("pragma busy_timeout = 20");
    try {
      const mode = ["passive", "full", "restart", "truncate"][Math.floor(Math.random() * 4)];
      if (Math.random() < 0.3) {
        database.run("begin");
        database.query("select count(*) from model").get();
        Bun.sleepSync(Math.random() * 300);
        database.run("rollback");
      }
      database.query(`pragma wal_checkpoint(${mode})`).get();
      if (Math.random() < 0.05) {
        rmSync(copy, { force: true });
        database.run("vacuum into ?", [copy]);
      }
    } catch (error) {
      if (!/SQLITE_(BUSY|LOCKED)/.test(String((error as { code?: string }).code))) throw error;
    }
    Bun.sleepSync(Math.random() * 20);
  }
}

if (import.meta.main) disturb(process.argv[2] ?? "");
