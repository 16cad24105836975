import type { Layout } from "./layout.ts";
import type { Room } from "./slack-channels.ts";
import type { Directory } from "./slack-users.ts";

/** Returns what an export does not have, and how Slack or a program gives it, as sentences. */
export function lacksOf({ archive, root }: Layout, directory: Directory, rooms: readonly Room[]): string[] {
  const has = (list: string): boolean => archive.find(`${root}${list}`) !== null;
  const [hasPrivate, hasDirect] = [has("groups.json"), has("dms.json") || has("mpims.json")];
  return [
    ...(hasPrivate && hasDirect ? [] : [PRIVATE(hasPrivate, hasDirect)]),
    ...(hasFiles(archive, root, rooms) ? [] : [FILES]),
    ...(directory.hasAddresses ? [] : [ADDRESSES]),
    EMOJI,
  ];
}

const PRIVATE = (hasPrivate: boolean, hasDirect: boolean): string => {
  const missing = [...(hasPrivate ? [] : ["private channels"]), ...(hasDirect ? [] : ["direct messages"])].join(
    " and ",
  );
  return `The export has no ${missing}. On a plan that allows it, an owner of the workspace can ask Slack for an export of all conversations; slackdump exports what one person can read.`;
};
const FILES =
  "The export has only links to files, without their bytes. --with-files fetch fetches them by these links; slackdump, or slack-advanced-exporter with the export's token, makes an export that has them.";
const ADDRESSES =
  "The export has no e-mail addresses. slack-advanced-exporter adds them (fetch-emails), and users.csv takes them by hand.";
const EMOJI =
  "The export has no pictures of custom emoji. They stay in texts as :name:, and become reactions of that name.";

function hasFiles(archive: Layout["archive"], root: string, rooms: readonly Room[]): boolean {
  const folders = [`${root}__uploads/`, ...rooms.map(({ folder }) => `${root}${folder}/attachments/`)];
  return folders.some((folder) => archive.under(folder)[Symbol.iterator]().next().done !== true);
}
