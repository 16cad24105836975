import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "../../packages/server/test/support/cli.ts";
import {
  channelLine,
  postLine,
  reaction,
  reply,
  teamLine,
  userLine,
  versionLine,
  writeMattermostZip,
} from "../../packages/server/test/support/imports/mattermost-export.ts";
import type { TestServer } from "../../packages/server/test/support/servers/test-server.ts";

const PEOPLE: readonly (readonly [string, string])[] = [
  ["lena", "Lena Vogt"],
  ["marco", "Marco Reis"],
  ["yuki", "Yuki Sato"],
];
const TABLE =
  "| Step | Who | State |\n|:--|:--|:--|\n| Build | @marco | :white_check_mark: |\n| Notes | @yuki | open |";

const TALK = [
  postLine("release", "lena", 0, `#### Version 4.2\n${TABLE}`, {
    is_pinned: true,
    reactions: [reaction("marco", "rocket"), reaction("yuki", "rocket")],
  }),
  postLine("release", "marco", 240, "The build runs on every branch now:\n```sh\nmake release TAG=v4.2.0\n```", {
    replies: [
      reply("yuki", 300, "Also on the old ones?"),
      reply("marco", 360, "Yes, `make` is the same there.", { edit_at: 1_709_283_980_000 }),
    ],
  }),
  postLine("release", "yuki", 900, "- [x] translations\n- [ ] notes\n\nI write them this afternoon :pencil2:"),
];

/** Imports an export of Mattermost, as its guide shows it. */
export async function fillMattermost({ config }: TestServer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "parley-pictures-"));
  const zip = await writeMattermostZip(join(folder, "export.zip"), {
    "import.jsonl": [
      versionLine(),
      teamLine("core", { display_name: "Harbour Works" }),
      channelLine("core", "release", { header: "Version 4.2 on Friday" }),
      ...PEOPLE.map(([username, nickname]) => userLine(username, { core: ["release"] }, { nickname })),
      ...TALK,
    ],
  });
  const { code, err } = await cli(["import", "mattermost", zip], { PARLEY_DATA_DIR: config.dataDir });
  await rm(folder, { recursive: true });
  if (code !== 0) throw new Error(`The export was not imported: ${err}`);
}
