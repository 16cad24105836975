import { type Fields, fieldsOf, partsOf, textOf } from "../fields.ts";

/** Mattermost's names have at most 64 characters. A longer text is none. */
const NAME_MAX = 200;
/** Conversations in Mattermost have at most eight people. */
const MEMBERS_MAX = 50;

/** Returns a name of a thing; empty if there is none. */
export function nameOf(fields: Fields, field: string): string {
  const name = textOf(fields, field);
  return name.length <= NAME_MAX ? name : "";
}

/** Signs that no name in Mattermost has. With them, two things could have one id. */
const SIGN_OF_IDS = /[,/]/;

/** Returns the source id of a channel of a team; undefined if the record does not name both. */
export function channelIdOf(team: string, name: string): string | undefined {
  const isNamed = [team, name].every((each) => each !== "" && !SIGN_OF_IDS.test(each));
  return isNamed ? `${team}/${name}` : undefined;
}

/** Returns the people of a conversation, sorted, each once; null if there are none, more than may be, or names that are none. */
export function membersOf(fields: Fields): string[] | null {
  const listed = ["members", "channel_members"].flatMap((field) => {
    const names: unknown = fields[field];
    return Array.isArray(names) ? names.slice(0, 2 * MEMBERS_MAX) : [];
  });
  const participants = partsOf(fields, "participants").slice(0, 2 * MEMBERS_MAX);
  const names = [...listed.map((username) => ({ username })), ...participants].map((each) =>
    nameOf(fieldsOf(each) ?? {}, "username"),
  );
  const members = [...new Set(names.filter(Boolean))].toSorted();
  const isOne = members.length > 0 && members.length <= MEMBERS_MAX && !members.some((name) => SIGN_OF_IDS.test(name));
  return isOne ? members : null;
}

/** Returns the source id of a conversation. */
export const conversationId = (members: readonly string[]): string => members.join(",");
