#!/usr/bin/env node
import { parseArgs } from "node:util";
import { Ending } from "../../shared/src/ending.ts";
import { runChannel } from "./channel.ts";
import { setUp } from "./set-up.ts";
import { readSettings } from "./settings.ts";

/** Standard output belongs to MCP. */
const say = (line: string): void => console.error(`parley: ${line}`);

try {
  const { values } = parseArgs({ options: { code: { type: "string" }, "key-file": { type: "string" } } });
  if (values.code !== undefined) await setUp(values.code, values["key-file"], (line) => console.log(line));
  else await runChannel(readSettings(process.env), say);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof Ending ? error.exitCode : 1;
}
process.exit();
