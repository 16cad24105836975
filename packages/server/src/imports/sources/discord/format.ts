import type { Format } from "../format.ts";
import { isDiscordFile } from "./file-names.ts";

/** The path of a link to a message or channel. Snowflakes are the ids of both. */
const LINK = /^\/channels\/(?:\d{15,20}|@me)\/(\d{15,20})(?:\/(\d{15,20}))?\/?$/;

export const discord: Format = {
  id: "discord",
  name: "Discord",
  isSign: isDiscordFile,
  expected:
    "it has no JSON file of DiscordChatExporter. Name the folder, or a ZIP of it, to which it exported with --format Json.",
  help: "Takes the folder to which DiscordChatExporter (2.40 or later) wrote with --format Json, or a ZIP of it; with --media, the\nfiles are there, too.",
  hasOpen: true,
  fileHosts: /^(?:cdn\.discordapp\.com|media\.discordapp\.net)$/,
  guide: {
    name: "import-discord",
    part: "more",
    about: "moving a server in from Discord",
    text: () => import("../../../../../../docs/guide/import-discord.md", { with: { type: "text" } }),
  },
  oldLink({ pathname }) {
    const [, channelId = null, messageId = null] = LINK.exec(pathname) ?? [];
    return channelId === null ? null : { channelId, messageId };
  },
  open: async (archive, { clock, open }) => (await import("./open-discord.ts")).openDiscord(archive, clock, open),
};
