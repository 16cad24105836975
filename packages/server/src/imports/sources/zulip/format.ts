import type { Format } from "../format.ts";
import { isZulipFile } from "./layout.ts";

/** The fragment of a link: a channel by its id and name, and perhaps a message. */
const CHANNEL = /^#narrow\/(?:channel|stream)\/(\d{1,16})(?:-|\/|$)/;
const MESSAGE = /^#narrow\/.{0,2000}\/(?:near|with|id)\/(\d{1,16})(?:\/|$)/;

export const zulip: Format = {
  id: "zulip",
  name: "Zulip",
  isSign: isZulipFile,
  expected:
    "it has no realm.json. Name the .tar.gz that `manage.py export` of Zulip made, or the folder to which you unpacked it.",
  help: "Takes the .tar.gz that Zulip's `manage.py export` makes, or the folder to which it was unpacked. A topic becomes a thread.",
  guide: {
    name: "import-zulip",
    part: "more",
    about: "moving an organisation in from Zulip",
    text: () => import("../../../../../../docs/guide/import-zulip.md", { with: { type: "text" } }),
  },
  oldLink({ hash }) {
    const [channelId = null, messageId = null] = [CHANNEL.exec(hash)?.[1], MESSAGE.exec(hash)?.[1]];
    return channelId === null && messageId === null ? null : { channelId, messageId };
  },
  open: async (archive, { clock }) => (await import("./open-zulip.ts")).openZulip(archive, clock),
};
