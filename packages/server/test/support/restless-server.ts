import { sql } from "kysely";
import { startServer } from "../../src/server.ts";
import { testConfig } from "./config.ts";

/**
 * A whole server whose log is copied back into its database every few commits, so that a short test sees what else takes hours. Run as a process
 * of its own: folder, port and `synchronous` are its arguments. SIGTERM ends it.
 */
const [dataDir = "", port = "0", synchronous = "full"] = process.argv.slice(2);
const server = await startServer(testConfig({ dataDir, port: Number(port), rateLimits: "off" }));
await sql`pragma wal_autocheckpoint = 64`.execute(server.ctx.db);
await sql`pragma synchronous = ${sql.raw(synchronous)}`.execute(server.ctx.db);
process.once("SIGTERM", () => void server[Symbol.asyncDispose]().then(() => process.exit(0)));
