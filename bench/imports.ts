/**
 * `node_modules/.bin/bun bench/imports.ts [--messages 200000] [database URL]`: how many messages a second an import writes
 * (protocol §14.1), and how long its opening takes. Without a URL, SQLite in a new folder. A schema of PostgreSQL must be
 * empty. The stage is made in memory, so reading the export is not part of it.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { systemClock } from "../packages/server/src/clock.ts";
import { database as databaseOf } from "../packages/server/src/config/database.ts";
import { openDatabase } from "../packages/server/src/db/database.ts";
import { openImport } from "../packages/server/src/imports/open/open.ts";
import { undoImport } from "../packages/server/src/imports/undo/undo.ts";
import { writeImport } from "../packages/server/src/imports/write/write.ts";
import { createLog } from "../packages/server/src/logging/log.ts";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { testContext } from "../packages/server/test/support/context.ts";
import { manyMessages, memoryStage } from "../packages/server/test/support/imports/memory-stage.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { messages: { type: "string", default: "200000" }, undo: { type: "boolean", default: false } },
});
const count = Number(values.messages);
const [url] = positionals;
const place =
  url === undefined ? ({ kind: "sqlite", path: join(temporaryFolder(), "parley.sqlite") } as const) : databaseOf(url);
const log = createLog({ level: "warn", readable: true });
await using database = await openDatabase(place, systemClock, { mode: "server", poolSize: 4, log });
const ctx = testContext(database);
const stage = memoryStage(manyMessages(count));

const seconds = async <T>(act: () => Promise<T>): Promise<[T, number]> => {
  const started = performance.now();
  return [await act(), (performance.now() - started) / 1_000];
};

const [{ importId }, writing] = await seconds(() => writeImport(ctx, stage, { format: "slack", fingerprint: "bench" }));
const [, opening] = await seconds(() => openImport(ctx, importId));
const lines = [
  `${count} messages in ${writing.toFixed(1)} s: ${Math.round(count / writing)} a second`,
  `opened in ${opening.toFixed(2)} s`,
  `resident: ${Math.round(process.memoryUsage().rss / 1_048_576)} MiB, with the stage in memory`,
];
if (values.undo) {
  const [, undoing] = await seconds(() => undoImport(ctx, importId));
  lines.push(`undone in ${undoing.toFixed(1)} s`);
}
process.stdout.write(`${lines.join("\n")}\n`);
