import { SourceError, type SourceFormat } from "../source.ts";
import type { Archive } from "./archive.ts";

/** The lists of conversations that an export of Slack may have. */
export const SLACK_LISTS = ["channels.json", "groups.json", "dms.json", "mpims.json"] as const;
/** How the exports of other chats are known: by files that they all have, at the top or one folder below. */
const SIGNS: readonly { of: string; isFile: (name: string) => boolean }[] = [
  { of: "Slack", isFile: (name) => SLACK_LISTS.some((list) => list === name) },
  { of: "Mattermost", isFile: (name) => name.endsWith(".jsonl") },
  { of: "Rocket.Chat", isFile: (name) => name.startsWith("rocketchat_") && name.includes(".bson") },
  { of: "Zulip", isFile: (name) => name === "realm.json" || /^messages-\d{6}\.json$/.test(name) },
  { of: "Telegram", isFile: (name) => name === "result.json" },
  { of: "Discord", isFile: (name) => / \[\d{15,}\](?: \[part \d+\])?\.json$/.test(name) },
];
const NAMES_MAX = 500;
const NAMES: Record<SourceFormat, string> = { slack: "Slack" };

/** Returns the error for an archive that is no export of the chat that was named. It says of which one it is. */
export function wrongFormat(archive: Archive, wanted: SourceFormat): SourceError {
  const found = formatOf(archive);
  if (found === undefined || found === NAMES[wanted]) {
    return new SourceError(
      `${archive.path} is no export of ${NAMES[wanted]}: it has none of ${SLACK_LISTS.join(", ")}. Name the ZIP that ${NAMES[wanted]} gave, or the folder to which you unpacked it.`,
    );
  }
  const command = Object.entries(NAMES).find(([, name]) => name === found)?.[0];
  const advice = command === undefined ? "This version of Parley cannot import it" : `Use: parley import ${command}`;
  return new SourceError(`${archive.path}: This is a ${found} export, and not one of ${NAMES[wanted]}. ${advice}.`);
}

function formatOf(archive: Archive): string | undefined {
  const top = firstNames(archive, "");
  const names = [...top, ...top.filter((name) => name.endsWith("/")).flatMap((folder) => firstNames(archive, folder))];
  return SIGNS.find(({ isFile }) => names.some((name) => isFile(name.split("/").at(-1) ?? "")))?.of;
}

/** The names in a folder, as many as it takes to know an export. */
function firstNames(archive: Archive, folder: string): string[] {
  const names: string[] = [];
  for (const name of archive.children(folder)) {
    if (names.push(name) === NAMES_MAX) break;
  }
  return names;
}
