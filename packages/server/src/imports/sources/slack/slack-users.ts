import { type Item, type SourceFile, type SourceUser, USERS_MAX } from "../../source.ts";
import { type Fields, fieldsOf, partOf, textOf } from "../fields.ts";
import { PEOPLE, tooMany } from "../too-many.ts";
import { type Layout, readList } from "./layout.ts";

/** Slack's own bot is no bot in the list. */
const SLACKBOT = "USLACKBOT";

/** The facts about people that the other parts of an export refer to. */
export interface Directory {
  /** The handle of each person and bot of the list, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The user behind a bot's other id (`profile.bot_id`). */
  readonly bots: ReadonlyMap<string, string>;
  readonly teamId: string;
  readonly hasAddresses: boolean;
}

/** Reads the people of `users.json`. */
export async function* readUsers(layout: Layout): AsyncGenerator<Item<SourceUser>> {
  let index = 0;
  for await (const value of readList(layout, "users.json")) {
    const fields = fieldsOf(value) ?? {};
    const user = userOf(layout, fields);
    yield user === undefined
      ? { leftOut: { kind: "user", reason: "no_id", example: `users.json#${index}` } }
      : { item: user };
    index += 1;
  }
}

/** Reads the list once, for what messages say by ids. */
export async function readDirectory(layout: Layout): Promise<Directory> {
  const [names, bots, teams] = [new Map<string, string>(), new Map<string, string>(), new Map<string, number>()];
  let hasAddresses = false;
  for await (const value of readList(layout, "users.json")) {
    const fields = fieldsOf(value) ?? {};
    const [id, team, bot] = [
      textOf(fields, "id"),
      textOf(fields, "team_id"),
      textOf(partOf(fields, "profile"), "bot_id"),
    ];
    if (id === "") continue;
    names.set(id, textOf(fields, "name") || id);
    if (names.size > USERS_MAX) throw tooMany(layout.archive.path, PEOPLE);
    if (bot !== "") bots.set(bot, id);
    if (team !== "") teams.set(team, (teams.get(team) ?? 0) + 1);
    hasAddresses ||= textOf(partOf(fields, "profile"), "email") !== "";
  }
  // People of other workspaces are in the list, too.
  const [teamId = "slack"] = [...teams].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return { names, bots, teamId, hasAddresses };
}

function userOf(layout: Layout, fields: Fields): SourceUser | undefined {
  const id = textOf(fields, "id");
  if (id === "") return undefined;
  const profile = partOf(fields, "profile");
  const avatar = avatarOf(layout, id);
  return {
    id,
    ...(avatar === undefined ? {} : { avatar }),
    name: textOf(fields, "name") || id,
    displayName: nameIn(profile) || textOf(fields, "real_name") || null,
    email: textOf(profile, "email") || null,
    kind: fields.is_bot === true || id === SLACKBOT ? "bot" : "person",
    isGone: fields.deleted === true,
  };
}

/** slackdump adds the pictures of people. */
function avatarOf({ archive, root }: Layout, id: string): SourceFile | undefined {
  for (const { name, size } of archive.under(`${root}__avatars/${id}/`))
    return { id: name, name, mimeType: null, size, alt: null, path: name, url: null };
  return undefined;
}

const nameIn = (profile: Fields): string => textOf(profile, "display_name") || textOf(profile, "real_name");

/** Returns somebody whom only messages name, by what this one says of them. */
export function strangerOf(id: string, message: Fields): SourceUser {
  const [profile, bot] = [partOf(message, "user_profile"), partOf(message, "bot_profile")];
  const isBot = textOf(message, "bot_id") !== "" || message.subtype === "bot_message" || id === SLACKBOT;
  const botName = id === SLACKBOT ? "slackbot" : textOf(bot, "name") || textOf(message, "username");
  return {
    id,
    name: (isBot ? botName : textOf(profile, "name")) || `unknown-${id.toLowerCase()}`,
    displayName: (isBot ? botName : nameIn(profile)) || null,
    email: null,
    kind: isBot ? "bot" : "person",
    isGone: !isBot,
  };
}
