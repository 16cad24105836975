import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "../../packages/server/test/support/cli.ts";
import {
  BEGIN,
  rocketUser,
  room,
  said,
  writeDump,
} from "../../packages/server/test/support/imports/rocketchat-export.ts";
import type { TestServer } from "../../packages/server/test/support/servers/test-server.ts";

const SITE = "https://chat.example.org";
const at = (minutes: number): { ts: Date } => ({ ts: new Date(BEGIN + 60_000 * minutes) });

/** Imports a dump of Rocket.Chat, as its guide shows it. */
export async function fillRocketChat({ config }: TestServer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "parley-pictures-"));
  await writeDump(folder, {
    "users.bson": [rocketUser("u1", "lena", { name: "Lena Falk" }), rocketUser("u2", "sam", { name: "Sam Okoro" })],
    "rocketchat_settings.bson": [{ _id: "Site_Url", value: SITE }],
    "rocketchat_room.bson": [room("r1", "c", "storehouse", { topic: "What is where" })],
    "rocketchat_subscription.bson": [],
    "rocketchat_message.bson": [
      said("m1", "r1", "1", "The *new shelves* come on Monday :package:", {
        ...at(0),
        reactions: { ":tada:": { usernames: ["sam"] }, ":eyes:": { usernames: ["sam", "lena"] } },
        pinned: true,
      }),
      said("m2", "r1", "2", "Who can help? I need:\n- two people\n- _one_ van", at(5)),
      said("m3", "r1", "1", "I can.", { ...at(6), tmid: "m2" }),
      said("m4", "r1", "1", "And the van is free.", { ...at(7), tmid: "m2", tshow: true }),
      said("m5", "r1", "2", `[ ](${SITE}/channel/storehouse?msg=m1) At nine?`, {
        ...at(20),
        attachments: [{ author_name: "lena", text: "…", message_link: `${SITE}/channel/storehouse?msg=m1` }],
      }),
      said("m6", "r1", "1", "", {
        ...at(40),
        alias: "stock",
        bot: { i: "1" },
        attachments: [
          { title: "Count of the week", text: "Ropes are *low*", fields: [{ title: "Left", value: "12 m" }] },
        ],
      }),
    ],
  });
  const { code, err } = await cli(["import", "rocketchat", folder], { PARLEY_DATA_DIR: config.dataDir });
  await rm(folder, { recursive: true });
  if (code !== 0) throw new Error(`The dump was not imported: ${err}`);
}
