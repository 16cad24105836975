import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "../../packages/server/test/support/cli.ts";
import {
  ADA,
  author,
  channel,
  fileOf,
  reacted,
  idAt as snowflake,
  said as wrote,
} from "../../packages/server/test/support/imports/discord-export.ts";
import { writeExportFolder, writeExportZip } from "../../packages/server/test/support/imports/export-files.ts";
import { dayOf, said, slackChannel, slackUser, ts } from "../../packages/server/test/support/imports/slack-export.ts";
import {
  ada as adaOfTelegram,
  ben as benOfTelegram,
  notice,
  oneChat,
  said as posted,
} from "../../packages/server/test/support/imports/telegram-export.ts";
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

/** Imports an export of each chat, as the guide shows it. */
export async function fillImport(server: TestServer): Promise<void> {
  await fillSlack(server);
  await importFolder(server, "discord", DISCORD, "--open", "all");
  await importFolder(server, "telegram", TELEGRAM, "--open", "all");
}

const LEO = author("100000000000000009", "leo", { nickname: "Leo Marsh" });
const NINA = { ...ADA, name: "nina", nickname: "Nina Holm", avatarUrl: "" };
const DOCK = channel("910000000000000011", "dock-crew", { topic: "Who is at the dock" });
const HOIST = channel(snowflake(240), "The hoist", {
  type: "GuildPublicThread",
  categoryId: DOCK.id,
  category: "dock-crew",
});
const THUMB = { id: "", name: "👍", code: "thumbsup", isAnimated: false, imageUrl: "" };

const DISCORD = {
  "dock.json": fileOf(DOCK, [
    wrote(NINA, 60, "## Saturday\n- __Hoist__ at **nine**\n- paint after lunch\n-# bring gloves", {
      reactions: [reacted(THUMB, 1, [LEO])],
    }),
    wrote(LEO, 180, "||Cake|| at four, @Nina Holm?", {
      type: "Reply",
      mentions: [NINA],
      reference: { messageId: snowflake(60), channelId: DOCK.id },
    }),
    wrote(NINA, 240, "The hoist is stuck again. Who knows it?"),
  ]),
  "hoist.json": fileOf(HOIST, [wrote(LEO, 300, "I do. It wants oil."), wrote(NINA, 360, "Thank you :heart:")]),
};

const TELEGRAM = oneChat(
  [
    notice(1, adaOfTelegram, "topic_created", { title: "Regatta" }),
    posted(2, benOfTelegram, "Who rows on Sunday?", { reply_to_message_id: 1 }),
    posted(3, adaOfTelegram, [
      { type: "bold", text: "The wind turns at noon" },
      { type: "plain", text: ", so we start at " },
      { type: "code", text: "10:30" },
      { type: "plain", text: "." },
    ]),
    posted(4, benOfTelegram, "Then breakfast first.", {
      reply_to_message_id: 3,
      reactions: [{ type: "emoji", count: 1, emoji: "👍", recent: [{ from: "Ada Berg", from_id: "user111" }] }],
    }),
    posted(5, adaOfTelegram, "", {
      poll: {
        question: "Which boat?",
        answers: [
          { text: "Heron", voters: 4 },
          { text: "Otter", voters: 2 },
        ],
      },
    }),
  ],
  { name: "regatta", type: "private_supergroup" },
);

async function importFolder({ config }: TestServer, source: string, files: Record<string, unknown>, ...args: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "parley-pictures-"));
  await writeExportFolder(folder, files);
  const { code, err } = await cli(["import", source, folder, ...args], { PARLEY_DATA_DIR: config.dataDir });
  await rm(folder, { recursive: true });
  if (code !== 0) throw new Error(`The export was not imported: ${err}`);
}

async function fillSlack({ config }: TestServer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "parley-pictures-"));
  const zip = await writeExportZip(join(folder, "export.zip"), {
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
