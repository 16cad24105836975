import { CHANNELS_MAX, SourceError, USERS_MAX } from "../../source.ts";
import { countOf, type Fields, fieldsOf, partOf, partsOf, textOf } from "../fields.ts";
import { isPost, type Layout, readLines } from "./layout.ts";
import { MemberList } from "./member-list.ts";
import { channelIdOf, conversationId, membersOf, nameOf } from "./names.ts";

/** All memberships of an export: many times what the largest server has. */
const MEMBERSHIPS_MAX = 5_000_000;
const EMOJI_MAX = 50_000;
const TOPIC_MAX = 300;
const VERSION = 1;

/** A channel of a team, as the reading keeps it. */
export interface TeamChannel {
  readonly team: string;
  readonly name: string;
  readonly displayName: string;
  readonly isOpen: boolean;
  readonly topic: string;
  readonly isArchived: boolean;
  readonly members: MemberList;
  /** The number of the first one who is its administrator. */
  admin: number | null;
}

interface Team {
  readonly displayName: string;
  /** Anybody with an account could join. */
  readonly isOpen: boolean;
  /** Its people who are no guests, bots or deactivated. */
  people: number;
}

/** The facts that the other parts of an export refer to. */
export class Directory {
  /** The number of each person and bot, by username. */
  readonly people = new Map<string, number>();
  readonly usernames: string[] = [];
  readonly bots = new Set<string>();
  readonly teams = new Map<string, Team>();
  readonly channels = new Map<string, TeamChannel>();
  /** The people of each conversation, by its id. */
  readonly conversations = new Map<string, readonly string[]>();
  /** The paths of pictures of custom emoji, by their names. */
  readonly emoji = new Map<string, string>();
  /** Lines that are people or bots. */
  peopleLines = 0;
  hasPictures = false;
  /** People who are no guests, bots or deactivated. */
  activePeople = 0;
  #memberships = 0;
  readonly #where: string;

  /** `where`: the path of the export, for messages. */
  constructor(where: string) {
    this.#where = where;
  }

  /** Takes what a line says. Posts of conversations only name the people in them. */
  add(line: Fields): void {
    const fields = partOf(line, typeof line.type === "string" ? line.type : "");
    switch (line.type) {
      case "version":
        this.#checkVersion(line.version);
        break;
      case "team":
        this.#addTeam(fields);
        break;
      case "channel":
        this.#addChannel(fields);
        break;
      case "user":
        this.#addUser(fields);
        break;
      case "bot":
        this.#addBot(fields);
        break;
      case "emoji":
        this.#addEmoji(fields);
        break;
      case "direct_channel":
      case "direct_post":
        this.#addConversation(fields);
        break;
    }
  }

  /** Returns whether everybody in the source could read the public channels of a team. */
  isForAll(name: string): boolean {
    const team = this.teams.get(name);
    return team === undefined || this.teams.size === 1 || team.isOpen || team.people >= this.activePeople;
  }

  #checkVersion(version: unknown): void {
    if (typeof version !== "number" || version <= VERSION) return;
    throw new SourceError(
      `${this.#where} has version ${version} of Mattermost's format, and Parley reads version ${VERSION}. Update Parley.`,
    );
  }

  #addTeam(fields: Fields): void {
    const name = nameOf(fields, "name");
    if (name === "" || this.teams.has(name)) return;
    this.teams.set(name, {
      displayName: nameOf(fields, "display_name") || name,
      isOpen: fields.allow_open_invite !== false,
      people: 0,
    });
    if (this.teams.size > CHANNELS_MAX) throw this.#tooMany("50,000 teams");
  }

  #addChannel(fields: Fields): void {
    const [team, name] = [nameOf(fields, "team"), nameOf(fields, "name")];
    const id = channelIdOf(team, name);
    if (id === undefined || this.channels.has(id)) return;
    this.channels.set(id, {
      team,
      name,
      displayName: nameOf(fields, "display_name"),
      isOpen: fields.type === "O",
      topic: (textOf(fields, "header").trim() || textOf(fields, "purpose").trim()).slice(0, TOPIC_MAX),
      isArchived: (countOf(fields, "deleted_at") ?? 0) > 0,
      members: new MemberList(),
      admin: null,
    });
    this.#checkChannels();
  }

  #addPerson(username: string): number {
    const known = this.people.get(username);
    if (known !== undefined) return known;
    const number = this.usernames.push(username) - 1;
    this.people.set(username, number);
    if (number >= USERS_MAX) throw this.#tooMany("200,000 people and bots");
    return number;
  }

  #addUser(fields: Fields): void {
    this.peopleLines += 1;
    const username = nameOf(fields, "username");
    if (username === "") return;
    const number = this.#addPerson(username);
    this.hasPictures ||= textOf(fields, "profile_image") !== "";
    const isBot = isBotAddress(fields);
    if (isBot) this.bots.add(username);
    const isGuest = textOf(fields, "roles").split(" ").includes("system_guest");
    const isActive = !isBot && !isGuest && !isGone(fields);
    if (isActive) this.activePeople += 1;
    const memberships = partsOf(fields, "teams");
    for (const name of new Set(memberships.map((each) => nameOf(each, "name")))) {
      const team = this.teams.get(name);
      if (team !== undefined && isActive) team.people += 1;
    }
    for (const membership of memberships) this.#addMembership(number, membership);
  }

  #addMembership(number: number, fields: Fields): void {
    const name = nameOf(fields, "name");
    for (const each of partsOf(fields, "channels")) {
      const channel = this.channels.get(channelIdOf(name, nameOf(each, "name")) ?? "");
      if (channel === undefined || !channel.members.add(number)) continue;
      if (textOf(each, "roles").split(" ").includes("channel_admin")) channel.admin ??= number;
      this.#memberships += 1;
      if (this.#memberships > MEMBERSHIPS_MAX) throw this.#tooMany("5,000,000 memberships of channels");
    }
  }

  #addBot(fields: Fields): void {
    this.peopleLines += 1;
    const username = nameOf(fields, "username");
    if (username === "") return;
    this.#addPerson(username);
    this.bots.add(username);
    this.hasPictures ||= textOf(fields, "profile_image") !== "";
  }

  #addEmoji(fields: Fields): void {
    const [name, image] = [nameOf(fields, "name"), textOf(fields, "image")];
    if (name !== "" && image.length <= 1_000 && !this.emoji.has(name)) this.emoji.set(name, image);
    if (this.emoji.size > EMOJI_MAX) throw this.#tooMany("50,000 emoji");
  }

  #addConversation(fields: Fields): void {
    const members = membersOf(fields);
    if (members === null) return;
    const id = conversationId(members);
    if (this.conversations.has(id)) return;
    this.conversations.set(id, members);
    this.#checkChannels();
  }

  #checkChannels(): void {
    if (this.channels.size + this.conversations.size > CHANNELS_MAX) throw this.#tooMany("50,000 channels");
  }

  #tooMany(what: string): SourceError {
    return new SourceError(`${this.#where} has more than ${what}. Parley cannot import so many.`);
  }
}

/** Older versions exported bots as people. Mattermost gives these an address of its own. */
export const isBotAddress = (fields: Fields): boolean =>
  textOf(fields, "email") === `${nameOf(fields, "username")}@localhost`;

export const isGone = (fields: Fields): boolean => (countOf(fields, "delete_at") ?? 0) > 0;

/** Reads everything but posts of channels; null if the lines are none of Mattermost's. */
export async function readDirectory(layout: Layout): Promise<Directory | null> {
  const directory = new Directory(layout.archive.path);
  let isFirst = true;
  for await (const { value } of readLines(layout, (line) => isFirst || !isPost(line))) {
    const fields = fieldsOf(value);
    if (isFirst && typeof fields?.type !== "string") return null;
    isFirst = false;
    if (fields !== undefined) directory.add(fields);
  }
  return isFirst ? null : directory;
}
