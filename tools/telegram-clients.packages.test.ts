import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { forAllTests } from "../packages/server/test/support/for-all-tests.ts";
import { startTestServer } from "../packages/server/test/support/servers/test-server.ts";
import { inProgram } from "../packages/server/test/support/telegram-client.ts";
import { testClient } from "../packages/server/test/support/telegram-client-suite.ts";

/** Clients of the Bot API with many dependencies: they are a package of their own, so that users do not install them. */
const CLIENTS = join(import.meta.dir, "telegram-clients");
await install();

/** Installs the clients from their own lock file if they are missing or older than it. */
async function install(): Promise<void> {
  const [installed, lock] = [join(CLIENTS, "node_modules/.package-lock.json"), join(CLIENTS, "package-lock.json")];
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = Bun.spawn(["npm", "ci", ...options], { cwd: CLIENTS, stdout: "ignore", stderr: "pipe" });
  const errors = await npm.stderr.text();
  if ((await npm.exited) !== 0) throw new Error(`npm ci in tools/telegram-clients failed:\n${errors}`);
}

const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");
const onNode = (program: string, traits = {}) =>
  inProgram(["node", join(CLIENTS, program)], { NTBA_FIX_350: "1" }, traits);

testClient("node-telegram-bot-api 0.66", onNode("ntba.mjs"), server, ann);
testClient("Chat SDK", onNode("chat-sdk.mjs", { answersItself: true }), server, ann);
