import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "../../packages/server/test/support/cli.ts";
import {
  dayOf,
  said,
  slackChannel,
  slackUser,
  ts,
  writeSlackZip,
} from "../../packages/server/test/support/imports/slack-export.ts";
import type { TestServer } from "../../packages/server/test/support/servers/test-server.ts";

const [INES, OMAR, TESS] = ["U1", "U2", "U3"] as const;
const CODE = "```export async function charge(order) {\n  return retry(3, () => bank.charge(order));\n}```";

const TALK = [
  said(INES, 0, "Good morning! *The launch is on Thursday.* <@U2>, is the payment page ready?", {
    reactions: [{ name: "tada", users: [OMAR, TESS], count: 2 }],
  }),
  said(OMAR, 240, `Nearly. It tries again when the bank does not answer:\n${CODE}`, {
    thread_ts: ts(240),
    reply_count: 2,
  }),
  said(TESS, 300, "How often?", { thread_ts: ts(240) }),
  said(OMAR, 360, "Three times, then it gives up.", { thread_ts: ts(240), edited: { user: OMAR, ts: ts(380) } }),
  said(TESS, 900, "> The bank closes at six\nThen we should be done by five :+1:"),
];

/** Imports an export of Slack, as the guide shows it. */
export async function fillImport({ config }: TestServer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "parley-pictures-"));
  const zip = await writeSlackZip(join(folder, "export.zip"), {
    "users.json": [
      slackUser(INES, "ines", {}, { display_name: "Inés Duarte" }),
      slackUser(OMAR, "omar", {}, { display_name: "Omar Haddad" }),
      slackUser(TESS, "tess", {}, { display_name: "Tess Winter" }),
    ],
    "channels.json": [
      slackChannel("C1", "launch", [INES, OMAR, TESS], { topic: { value: "On Thursday", creator: INES, last_set: 0 } }),
    ],
    [`launch/${dayOf(0)}`]: TALK,
  });
  const { code, err } = await cli(["import", "slack", zip], { PARLEY_DATA_DIR: config.dataDir });
  await rm(folder, { recursive: true });
  if (code !== 0) throw new Error(`The export was not imported: ${err}`);
}
