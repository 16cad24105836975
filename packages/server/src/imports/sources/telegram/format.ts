import type { Format } from "../format.ts";
import { RESULT } from "./result-name.ts";

/** The path of a link to a message of a group, perhaps with its topic. */
const LINK = /^\/c\/(\d{1,19})(?:\/\d{1,19})??\/(\d{1,19})\/?$/;

export const telegram: Format = {
  id: "telegram",
  name: "Telegram",
  isSign: (name) => name === RESULT,
  expected: `it has no ${RESULT} with messages. Name the folder, or a ZIP of it, to which Telegram Desktop exported as "Machine-readable JSON".`,
  help: 'Takes the folder to which Telegram Desktop exported one chat or an account as "Machine-readable JSON", or a ZIP of it.',
  hasOpen: true,
  hasZone: true,
  guide: {
    name: "import-telegram",
    part: "more",
    about: "moving chats in from Telegram",
    text: () => import("../../../../../../docs/guide/import-telegram.md", { with: { type: "text" } }),
  },
  oldLink({ pathname }) {
    const [, channelId, number] = LINK.exec(pathname) ?? [];
    return channelId === undefined ? null : { channelId, messageId: `${channelId}/${number}` };
  },
  open: async (archive, options) => (await import("./open-telegram.ts")).openTelegram(archive, options),
};
