import type { Format } from "../format.ts";
import { SLACK_LISTS } from "./slack-lists.ts";

/** The path of a link to a message or channel. */
const PERMALINK = /^\/archives\/([A-Z0-9]{1,32})(?:\/p(\d{10})(\d{6}))?\/?$/i;

export const slack: Format = {
  id: "slack",
  name: "Slack",
  isSign: (name) => SLACK_LISTS.some((list) => list === name),
  expected: `it has none of ${SLACK_LISTS.join(", ")}. Name the ZIP that Slack gave, or the folder to which you unpacked it.`,
  help: "Takes the ZIP that Slack gives, or the folder to which it was unpacked, also with files that slack-advanced-exporter or\nslackdump added.",
  fileHosts: /^(?:[a-z0-9-]+\.)*(?:slack|slack-edge|slack-files)\.com$/,
  guide: {
    name: "import-slack",
    part: "more",
    about: "moving a team in from Slack",
    text: () => import("../../../../../../docs/guide/import-slack.md", { with: { type: "text" } }),
  },
  oldLink({ pathname }) {
    const [, channelId = null, seconds, micros] = PERMALINK.exec(pathname) ?? [];
    if (channelId === null) return null;
    return { channelId, messageId: seconds === undefined ? null : `${channelId}/${seconds}.${micros}` };
  },
  open: async (archive, { clock }) => (await import("./open-slack.ts")).openSlack(archive, clock),
};
