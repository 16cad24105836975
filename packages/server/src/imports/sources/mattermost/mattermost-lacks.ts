import type { Directory } from "./directory.ts";
import type { Layout } from "./layout.ts";

/** Returns what an export does not have, and how Mattermost gives it, as sentences. */
export function lacksOf({ archive, root }: Layout, directory: Directory, emojiLost: number): string[] {
  const channels = [...directory.channels.values()];
  const hasPrivate = channels.some(({ isOpen }) => !isOpen) || directory.conversations.size > 0;
  const closed = [...directory.teams.keys()].filter((name) => !directory.isForAll(name));
  return [
    ...(hasPrivate ? [] : [PRIVATE]),
    ...(channels.some(({ isArchived }) => isArchived) ? [] : [ARCHIVED]),
    ...(hasFiles({ archive, root }) ? [] : [FILES]),
    ...(directory.hasPictures ? [] : [PICTURES]),
    ...(emojiLost === 0 ? [] : [EMOJI(emojiLost)]),
    ...(closed.length === 0 ? [] : [CLOSED(closed)]),
    DELETED,
  ];
}

/** The folders of files have dates as names, which come before that of people's pictures. */
function hasFiles({ archive, root }: Pick<Layout, "archive" | "root">): boolean {
  for (const { name } of archive.under(`${root}data/`)) return !name.startsWith(`${root}data/users/`);
  return false;
}

const PRIVATE =
  "The export has no private channels and no direct messages. An export of mmctl has all of them; another program may leave them out.";
const ARCHIVED =
  "The export has no archived channels. mmctl export create takes them with --include-archived-channels.";
const FILES =
  "The export has no files, only their names. mmctl export create takes them, unless --no-attachments is given; older versions take them with --attachments.";
const PICTURES =
  "The export has no pictures of people. mmctl export create takes them with --include-profile-pictures.";
const DELETED = "No export of Mattermost has deleted messages, or what edited messages said before.";
const EMOJI = (count: number): string =>
  `The export has no picture of ${count} custom emoji. They stay in texts as :name:, and become reactions of that name.`;

const NAMED_MAX = 5;
const CLOSED = (teams: readonly string[]): string => {
  const named = [...teams.slice(0, NAMED_MAX), ...(teams.length > NAMED_MAX ? ["others"] : [])].join(", ");
  return `Not everybody belongs to these teams, and nobody may join them unasked: ${named}. So their public channels count as private, and --channels chooses them.`;
};
