import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "../../packages/server/test/support/cli.ts";
import {
  BEGIN,
  reaction,
  realmOf,
  sent,
  TO_STREAM,
  writeZulipTar,
  zulipStream,
  zulipUser,
} from "../../packages/server/test/support/imports/zulip-export.ts";
import type { TestServer } from "../../packages/server/test/support/servers/test-server.ts";

const [NORA, JONAS] = [10, 11];
const PIER = TO_STREAM + 1;
const CODE = "```python\ndef berth(ship):\n    return min(free_berths(), key=lambda b: b.length - ship.length)\n```";

const said = (id: number, sender: number, minutes: number, topic: string, content: string, more: object = {}): object =>
  sent(id, sender, PIER, topic, content, { date_sent: BEGIN + 60 * minutes, ...more });

/** Imports an export of Zulip, as its guide shows it. */
export async function fillZulip({ config }: TestServer): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "parley-pictures-"));
  const path = await writeZulipTar(join(folder, "zulip-export.tar.gz"), {
    "realm.json": realmOf({
      zerver_userprofile: [zulipUser(NORA, "Nora"), zulipUser(JONAS, "Jonas")],
      zerver_userprofile_mirrordummy: [],
      zerver_stream: [zulipStream(1, "pier", { description: "Berths and ships" })],
      zerver_subscription: [NORA, JONAS].map((user, id) => ({ id, recipient: PIER, user_profile: user, active: true })),
      zerver_reaction: [reaction(1, JONAS, "ship", "1f6a2"), reaction(3, NORA, "tada", "1f389")],
    }),
    "messages-000001.json": {
      zerver_message: [
        said(1, NORA, 0, "which berth?", `The new rule takes the *shortest* berth that fits, @**Jonas**:\n\n${CODE}`),
        said(2, JONAS, 4, "which berth?", "```quote\nthe shortest berth that fits\n```\nWhat if there is none?"),
        said(3, NORA, 9, "which berth?", "Then it raises an error. I add a test."),
        said(4, JONAS, 30, "✔ lights on pier 3", "All repaired. See #**pier>which berth?** for the rest."),
      ],
    },
  });
  const { code, err } = await cli(["import", "zulip", path], { PARLEY_DATA_DIR: config.dataDir });
  await rm(folder, { recursive: true });
  if (code !== 0) throw new Error(`The export was not imported: ${err}`);
}
