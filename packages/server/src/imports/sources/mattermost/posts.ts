import type { Millis } from "../../../db/columns.ts";

import type { JsonLine } from "../../archive/json-lines.ts";
import type { Item, LeftOut, SourceMessage, SourceReaction } from "../../source.ts";
import { CharacterBudget } from "../character-budget.ts";
import { countOf, type Fields, fieldsOf, partOf, partsOf, TEXT_MAX, textOf } from "../fields.ts";
import type { Directory } from "./directory.ts";
import { fileAt, type Layout } from "./layout.ts";
import { channelIdOf, conversationId, membersOf, nameOf } from "./names.ts";
import { contentOf } from "./post-content.ts";
import type { PostNumbers } from "./post-numbers.ts";
import type { Senders } from "./senders.ts";
import { emojiOf } from "./text/emoji.ts";
import type { MattermostNames } from "./text/mattermost-names.ts";
import { ParseLimit } from "./text/parse-limit.ts";

/** A post in Mattermost has at most ten files. */
const FILES_MAX = 100;
const DAY = 24 * 60 * 60 * 1000;
/** Notices of Mattermost and of its calls are no messages of people. */
const NOTICE = /^(?:system_\w{1,64}|custom_calls)$/;

/** The state of the reading of posts. */
export interface Reading {
  readonly layout: Layout;
  readonly directory: Directory;
  readonly names: MattermostNames;
  readonly senders: Senders;
  readonly numbers: PostNumbers;
  readonly now: Millis;
  /** The channels whose posts are read; undefined: all. */
  readonly channelIds: ReadonlySet<string> | undefined;
  /** Posts read so far. */
  count: number;
}

interface Place {
  readonly channelId: string;
  /** null in conversations. */
  readonly team: string | null;
  /** Where the record is, for one that has no id. */
  readonly example: string;
  /** The id of the post that began the thread. */
  readonly threadId: string | null;
}

const leftOut = (kind: LeftOut["kind"], reason: string, example: string, times = 1): { leftOut: LeftOut } => ({
  leftOut: { kind, reason, example, ...(times === 1 ? {} : { times }) },
});

/** Reads a line: a post with its replies. Other lines have no messages. */
export function* postItems(reading: Reading, { value, number }: JsonLine): Generator<Item<SourceMessage>> {
  const line = fieldsOf(value) ?? {};
  if (line.type !== "post" && line.type !== "direct_post") return;
  const [post, example] = [fieldsOf(line[line.type]), `line ${number}`];
  if (post === undefined) {
    yield leftOut("message", "wrong_type", example);
    return;
  }
  const replies: readonly unknown[] = Array.isArray(post.replies) ? post.replies : [];
  const channel = line.type === "post" ? channelOf(post, reading) : conversationOf(post);
  if (channel === null) yield leftOut("message", "channel_missing", example, 1 + replies.length);
  if (channel === null || reading.channelIds?.has(channel.channelId) === false) return;
  const threadId = yield* messageItems(reading, post, { ...channel, example, threadId: null });
  for (const [index, reply] of replies.entries())
    yield* messageItems(reading, reply, { ...channel, example: `${example}, reply ${index + 1}`, threadId });
}

function channelOf(post: Fields, { directory }: Reading): Pick<Place, "channelId" | "team"> | null {
  const team = nameOf(post, "team");
  const channelId = channelIdOf(team, nameOf(post, "channel"));
  return channelId !== undefined && directory.channels.has(channelId) ? { channelId, team } : null;
}

function conversationOf(post: Fields): Pick<Place, "channelId" | "team"> | null {
  const members = membersOf(post);
  return members === null ? null : { channelId: conversationId(members), team: null };
}

/** Reads a post or reply, and returns its id. */
function* messageItems(reading: Reading, value: unknown, place: Place): Generator<Item<SourceMessage>, string> {
  const post = fieldsOf(value);
  reading.count += 1;
  if (post === undefined) {
    yield leftOut("message", "wrong_type", place.example);
    return place.example;
  }
  const problem = timeProblem(post, reading.now);
  const id = problem === undefined ? idOf(reading, post, place) : place.example;
  const refusal = refusalOf(post) ?? (problem === undefined ? undefined : (["message", problem] as const));
  if (refusal === undefined) yield* takenItems(reading, post, id, place);
  else yield leftOut(...refusal, id);
  return id;
}

/** Exports have no ids. The number tells apart what one person wrote in one millisecond. */
function idOf({ numbers }: Reading, post: Fields, { channelId }: Place): string {
  const key = `${channelId}/${nameOf(post, "user")}/${countOf(post, "create_at")}`;
  return `${key}/${numbers.next(key)}`;
}

function timeProblem(post: Fields, now: Millis): string | undefined {
  const at = post.create_at;
  if (at === undefined || at === null || at === 0) return "no_time";
  if (typeof at === "number" && at < 0) return "before_1970";
  const time = countOf(post, "create_at");
  if (time === null) return "wrong_time";
  return time > now + DAY ? "in_future" : undefined;
}

function refusalOf(post: Fields): [LeftOut["kind"], string] | undefined {
  const type = textOf(post, "type");
  if (NOTICE.test(type)) return ["system_message", type];
  const { message } = post;
  if (message === undefined || message === null) return undefined;
  if (typeof message !== "string") return ["message", "wrong_type"];
  return message.length > TEXT_MAX ? ["message", "too_long"] : undefined;
}

function* takenItems(reading: Reading, post: Fields, id: string, place: Place): Generator<Item<SourceMessage>> {
  const { layout, names, senders, now } = reading;
  const isTombstone = (countOf(post, "delete_at") ?? 0) > 0;
  const budget = new CharacterBudget();
  const text = contentOf(isTombstone ? {} : post, { team: place.team, names, limit: new ParseLimit() }, budget);
  const paths = isTombstone ? [] : pathsOf(post);
  const files = paths.slice(0, FILES_MAX).map((path) => fileAt(layout, path));
  if (paths.length > FILES_MAX) yield leftOut("file", "more_than_100", id, paths.length - FILES_MAX);
  if (budget.isUsedUp) yield leftOut("message", "too_long", id);
  else if (!isTombstone && text.children.length === 0 && files.length === 0) yield leftOut("message", "empty", id);
  else {
    const earlier = partsOf(post, "edit_history").length;
    if (earlier > 0) yield leftOut("edit_history", "not_taken", id, earlier);
    const editedAt = countOf(post, "edit_at") ?? 0;
    yield {
      item: {
        id,
        channelId: place.channelId,
        senderId: isTombstone ? null : senders.senderOf(post),
        at: countOf(post, "create_at") ?? 0,
        order: reading.count,
        text,
        threadId: place.threadId,
        // Mattermost knows no such replies; an export of Parley says it beside what Mattermost reads.
        isAlsoInChannel: partOf(post, "props").also_in_channel === true,
        replyToId: null,
        editedAt: isTombstone || editedAt === 0 ? null : Math.min(editedAt, now),
        isTombstone,
        isPinned: !isTombstone && post.is_pinned === true,
        reactions: isTombstone ? [] : reactionsOf(post),
        files,
      },
    };
  }
}

const pathsOf = (post: Fields): string[] => [
  ...new Set(
    partsOf(post, "attachments")
      .map((each) => textOf(each, "path"))
      .filter(Boolean),
  ),
];

/** The export has a record for each person. Two names of one emoji are one reaction. */
function reactionsOf(post: Fields): SourceReaction[] {
  const people = new Map<string, Set<string>>();
  for (const each of partsOf(post, "reactions")) {
    const [name, user] = [nameOf(each, "emoji_name"), nameOf(each, "user")];
    if (name === "" || user === "") continue;
    const reaction = emojiOf(name) ?? name;
    people.set(reaction, (people.get(reaction) ?? new Set()).add(user));
  }
  return [...people].map(([reaction, userIds]) => ({ reaction, userIds: [...userIds] }));
}
