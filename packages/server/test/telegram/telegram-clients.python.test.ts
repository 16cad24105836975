import { join } from "node:path";
import { forAllTests } from "../support/for-all-tests.ts";
import { findPython } from "../support/python.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { inProgram } from "../support/telegram-client.ts";
import { testClient } from "../support/telegram-client-suite.ts";

/** python-telegram-bot of Debian, unmodified (protocol §15). */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0 }));
const ann = await server.user("ann");
const program = join(import.meta.dir, "../support/telegram-clients/ptb.py");

testClient("python-telegram-bot", inProgram([findPython("telegram"), "-W", "ignore", program]), server, ann);
