import type { Format } from "../format.ts";
import { isRocketChatFile } from "./layout.ts";

/** The path of a link: rooms are in it by their names. */
const ROOM = /^\/(?:channel|group|direct)\/[^/]+/;

export const rocketChat: Format = {
  id: "rocketchat",
  name: "Rocket.Chat",
  isSign: isRocketChatFile,
  expected:
    "it has no rocketchat_message.bson. Name the folder that `mongodump` made of Rocket.Chat's database, or an archive of it.",
  help: "Takes the folder that `mongodump` makes of Rocket.Chat's database, also with --gzip, or a ZIP or .tar.gz of it.",
  guide: {
    name: "import-rocketchat",
    part: "more",
    about: "moving a workspace in from Rocket.Chat",
    text: () => import("../../../../../../docs/guide/import-rocketchat.md", { with: { type: "text" } }),
  },
  oldLink({ pathname, searchParams }) {
    const messageId = searchParams.get("msg");
    return ROOM.test(pathname) && messageId !== null ? { channelId: null, messageId } : null;
  },
  open: async (archive, { clock }) => (await import("./open-rocketchat.ts")).openRocketChat(archive, clock),
};
