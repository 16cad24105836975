import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SourceError } from "../../src/imports/source.ts";
import { mattermost } from "../../src/imports/sources/mattermost/format.ts";
import { writeExportZip } from "../support/imports/export-files.ts";
import {
  bytesOf,
  channelLine,
  type MattermostExport,
  PIXEL,
  postLine,
  sampleExport,
  teamLine,
  userLine,
  versionLine,
  writeMattermostFolder,
} from "../support/imports/mattermost-export.ts";
import { folder, HEAD, messagesOf, NOW, openExport } from "../support/imports/mattermost-reader.ts";
import { openExportAt } from "../support/imports/open-export.ts";
import { all, reasons, taken } from "../support/imports/slack-reader.ts";

test("reads people, bots, the deactivated and their pictures", async () => {
  await using source = await openExport(sampleExport());
  expect(source.workspace).toEqual({ id: "core", name: "Acme" });
  const users = taken(await all(source.users()));
  expect(users).toMatchObject([
    { id: "ada", name: "ada", displayName: "Ada B.", email: "ada@example.org", kind: "person", isGone: false },
    { id: "ben", displayName: "Ben Castle", kind: "person" },
    { id: "cora", displayName: null, isGone: true },
    { id: "deploybot", displayName: "Deploys", email: null, kind: "bot", isGone: false },
  ]);
  expect(users[0]?.avatar).toMatchObject({ path: "data/ada.png", name: "ada.png" });
  expect(users[1]).not.toHaveProperty("avatar");
});

test("bots that older versions exported as people are bots", async () => {
  const lines = [versionLine(), userLine("botty", {}, { email: "botty@localhost" }), userLine("ada")];
  await using source = await openExport({ "import.jsonl": lines });
  expect(taken(await all(source.users())).map(({ kind }) => kind)).toEqual(["bot", "person"]);
});

test("reads channels of teams, and conversations once, and leaves out the one with oneself", async () => {
  await using source = await openExport(sampleExport());
  const items = await all(source.channels());
  expect(taken(items)).toMatchObject([
    { id: "core/general", name: "general", kind: "public", topic: "Everything & more", memberIds: ["ada", "ben"] },
    { id: "core/random", kind: "public", isArchived: true },
    { id: "core/secret", kind: "private", creatorId: "ada", memberIds: ["ada"] },
    { id: "ada,ben", name: "", kind: "direct", memberIds: ["ada", "ben"] },
    { id: "ada,ben,cora", kind: "group", memberIds: ["ada", "ben", "cora"] },
  ]);
  expect(reasons(items)).toEqual(["direct with_oneself ada"]);
});

test("channels of one name in two teams are two, and those of a closed team are private", async () => {
  const lines = [
    versionLine(),
    teamLine("core"),
    teamLine("board", { allow_open_invite: false }),
    channelLine("core", "general"),
    channelLine("board", "general"),
    userLine("ada", { core: ["general"], board: ["general"] }),
    userLine("ben", { core: ["general"] }),
  ];
  await using source = await openExport({ "import.jsonl": lines });
  expect(taken(await all(source.channels())).map(({ id, name, kind }) => [id, name, kind])).toEqual([
    ["core/general", "general", "public"],
    ["board/general", "general", "private"],
  ]);
  expect(source.lacks.join("\n")).toContain("nobody may join them unasked: board.");
  await using open = await openExport({
    "import.jsonl": [...lines, userLine("cora", {}, { roles: "system_guest" })].filter(
      (line) => JSON.stringify(line).includes('"ben"') === false,
    ),
  });
  expect(taken(await all(open.channels())).map(({ kind }) => kind)).toEqual(["public", "public"]);
});

test("names that would give two things one id are none", async () => {
  const lines = [
    ...HEAD,
    channelLine("core/x", "y"),
    channelLine("core", "x/y"),
    { type: "direct_channel", direct_channel: { members: ["ada,ben", "cora"] } },
    { type: "direct_channel", direct_channel: { members: ["core/gene", "ral"] } },
  ];
  await using source = await openExport({ "import.jsonl": lines });
  expect(taken(await all(source.channels())).map(({ id }) => id)).toEqual(["core/general", "core/random"]);
});

test("a channel whose name Mattermost made up is named as people see it", async () => {
  const made = channelLine("core", "ekrpqo5x7pgt8gkmjxuyh6dwme", { display_name: "お知らせ" });
  await using source = await openExport({ "import.jsonl": [versionLine(), teamLine("core"), made] });
  expect(taken(await all(source.channels())).map(({ name }) => name)).toEqual(["お知らせ"]);
});

test("reads emoji with their pictures, and leaves out those without", async () => {
  const lines = [...HEAD, { type: "emoji", emoji: { name: "lost", image: "../../etc/passwd" } }];
  await using source = await openExport({
    ...sampleExport(),
    "import.jsonl": [...lines, ...(sampleExport()["import.jsonl"] as unknown[])],
  });
  const items = await Array.fromAsync(source.emoji?.() ?? []);
  expect(taken(items)).toMatchObject([{ name: "party_parrot", picture: { path: "data/emoji/e1/image" } }]);
  expect(reasons(items)).toEqual(["emoji no_picture lost"]);
});

test("says what an export lacks", async () => {
  await using bare = await openExport({ "import.jsonl": HEAD });
  expect(bare.lacks.join("\n")).toMatch(/no private channels.*no archived.*no files.*no pictures of people/s);
  await using pictures = await openExport({ "import.jsonl": HEAD, "data/users/u1/profile.png": PIXEL });
  expect(pictures.lacks.join("\n")).toContain("The export has no files");
  await using full = await openExport(sampleExport());
  expect(full.lacks).toHaveLength(1);
});

test.each([
  ["a folder", "", "import.jsonl"],
  ["a folder within another", "export/", "import.jsonl"],
  ["lines with another name", "", "team.jsonl"],
  ["lines with another name, within a folder,", "export/", "team.jsonl"],
])("reads %s as it reads the ZIP", async (_, root, name) => {
  const { "import.jsonl": lines = [], ...more } = sampleExport();
  const files = Object.entries({ [name]: lines, ...more }).map(([file, value]) => [`${root}${file}`, value] as const);
  const path = await writeMattermostFolder(join(folder, `as-${root.length}-${name}`), Object.fromEntries(files));
  await using unpacked = await openExportAt(path, mattermost, NOW);
  await using zip = await openExport(sampleExport());
  const messages = (source: typeof zip) => all(source.messages());
  const shown = JSON.stringify(await messages(unpacked)).replaceAll(`"${root}data/`, '"data/');
  expect(shown).toEqual(JSON.stringify(await messages(zip)));
});

test("reads a single file of lines", async () => {
  const path = join(folder, "single.jsonl");
  await writeFile(path, bytesOf([...HEAD, postLine("general", "ada", 1, "x")]));
  await using source = await openExportAt(path, mattermost, NOW);
  expect(taken(await all(source.messages()))).toHaveLength(1);
});

test("reads lines with a byte order mark, Windows line ends, blank lines and no end", async () => {
  const text = `\u{feff}${[...HEAD, postLine("general", "ada", 1, "x")].map((line) => JSON.stringify(line)).join("\r\n\r\n")}`;
  const { messages } = await messagesOf([], { "import.jsonl": new TextEncoder().encode(text) });
  expect(messages).toHaveLength(1);
});

test.each([
  ["a line that is cut off", '{"type":"post","post":{', "line 7 is no JSON"],
  ["a line that is no JSON", "hello", "line 7 is no JSON"],
  ["bytes that are no UTF-8", Uint8Array.of(0x22, 0xff, 0x22), "line 7 has bytes that are no UTF-8"],
  ["a line with too many levels", `${"[".repeat(65)}${"]".repeat(65)}`, "line 7 has more than 64 levels"],
])("%s ends the reading, with the file and the line", async (_, end, says) => {
  const bytes = Buffer.concat([bytesOf(HEAD), typeof end === "string" ? new TextEncoder().encode(end) : end]);
  const refused = messagesOf([], { "import.jsonl": Uint8Array.from(bytes) });
  await expect(refused).rejects.toThrow(SourceError);
  await expect(refused).rejects.toThrow(`"import.jsonl" is invalid: ${says}`);
});

test("a newer version of the format is refused", async () => {
  const lines = [{ type: "version", version: 2 }];
  await expect(openExport({ "import.jsonl": lines })).rejects.toThrow("has version 2 of Mattermost's format");
});

test("an export of Slack is named, and what is no export is none", async () => {
  const slack = await writeExportZip(join(folder, "slack.zip"), { "channels.json": [] });
  await expect(openExportAt(slack, mattermost, NOW)).rejects.toThrow("This is a Slack export");
  const others: MattermostExport[] = [{ "import.jsonl": [["x"]] }, { "import.jsonl": [] }, { "a.txt": PIXEL }];
  for (const files of others)
    await expect(openExport(files)).rejects.toThrow("is no export of Mattermost: it has no import.jsonl");
});
