import type { Format } from "../format.ts";

/** The path of a link to a channel. Those to messages have ids that no export has. */
const LINK = /^\/([a-z0-9-]{1,64})\/channels\/([a-z0-9._-]{1,64})\/?$/i;

export const mattermost: Format = {
  id: "mattermost",
  name: "Mattermost",
  isSign: (name) => name.endsWith(".jsonl"),
  expected:
    "it has no import.jsonl that begins with lines of Mattermost's bulk export. Name the ZIP that mmctl downloads, the folder to which you unpacked it, or its file of lines, whose name ends with .jsonl.",
  help: "Takes the ZIP of mmctl export, the folder to which it was unpacked (import.jsonl with data/), or a single file of JSON lines.",
  guide: {
    name: "import-mattermost",
    part: "more",
    about: "moving a team in from Mattermost",
    text: () => import("../../../../../../docs/guide/import-mattermost.md", { with: { type: "text" } }),
  },
  oldLink({ pathname }) {
    const [, team, name] = LINK.exec(pathname) ?? [];
    return team === undefined ? null : { channelId: `${team}/${name}`, messageId: null };
  },
  open: async (archive, { clock }) => (await import("./open-mattermost.ts")).openMattermost(archive, clock),
};
