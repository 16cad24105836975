import { systemClock } from "../../../src/clock.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { LogFile } from "../../../src/db/sqlite/log-sync.ts";
import { startServer } from "../../../src/server.ts";
import { testConfig } from "../config.ts";

/**
 * A whole server whose log is checkpointed into its database every few commits, so that a short test sees what
 * otherwise takes hours. Run it as a separate process; its arguments are the folder, the port and whether its log is
 * `synced` or `unsynced`. SIGTERM ends it.
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
