import { afterEach } from "bun:test";
import { runningServers } from "./running-servers.ts";

// Loaded before every test file (bunfig.toml). A server that a whole file shares would name only the file.
afterEach(async () => {
  for (const server of runningServers) await server.assertNone();
});
