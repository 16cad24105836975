import { systemClock } from "../../../src/clock.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { LogFile } from "../../../src/db/sqlite/log-sync.ts";
import { startServer } from "../../../src/server.ts";
import { testConfig } from "../config.ts";

/**
 * A whole server that writes its log back into the database every few commits, so that a short test covers many
 * checkpoints. Run it as a separate process. Its arguments are the folder, the port, and `synced` or `unsynced` for the
 * log. SIGTERM ends it.
 */
const [dataDir = "", port = "0", log = "synced"] = process.argv.slice(2);
if (log === "unsynced") LogFile.prototype.sync = async () => {};
const config = testConfig({ dataDir, port: Number(port), rateLimits: "off" });
const database = await openDatabase(config.database, systemClock, {
  checkpointPages: 64,
  onFatal: (error) => {
    console.error(error);
    process.exit(1);
  },
});
const server = await startServer(config, { database });
process.once("SIGTERM", () => void server[Symbol.asyncDispose]().then(() => process.exit(0)));
