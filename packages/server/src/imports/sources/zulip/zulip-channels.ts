import type { Item, SourceChannel } from "../../source.ts";
import { wordsOf } from "../../tree-words.ts";
import { fieldsOf, textOf } from "../fields.ts";
import { type Layout, readRows } from "./layout.ts";
import { textTree } from "./text/zulip-text.ts";
import { idOf, timeOf } from "./zulip-fields.ts";
import type { Reading } from "./zulip-reading.ts";
import { type Realm, streamName } from "./zulip-realm.ts";

/** The mark of a conversation of several people. Those of two are named by both: `12,15`. */
const GROUP = "huddle-";

/** Returns the channel of a message that goes to these people; null if nobody knows them. */
export function channelOf(recipient: string, sender: string, { realm, index }: Pick<Reading, "realm" | "index">) {
  const to = realm.recipients.get(recipient);
  if (to === undefined) return null;
  if (to.kind === "stream") return realm.streams.has(to.stream) ? to.stream : null;
  if (to.kind === "person") return pairOf([sender, to.user]);
  const members = index.membersOf(recipient);
  return members.length === 2 || members.length === 1 ? pairOf(members) : `${GROUP}${to.id}`;
}

const pairOf = ([one = "", other = one]: readonly string[]): string =>
  [one, other].sort((a, b) => Number(a) - Number(b)).join(",");

/** True for a conversation with oneself. */
export function isWithOneself(channel: string): boolean {
  const [one, other] = channel.split(",");
  return one === other;
}

/** Reads the streams, and the conversations that have messages. */
export async function* readChannels(layout: Layout, reading: Reading): AsyncGenerator<Item<SourceChannel>> {
  let place = 0;
  for await (const { table, value } of readRows(layout, "realm.json", false)) {
    if (table !== "zerver_stream") continue;
    yield streamItem(value, reading, `realm.json#${table}#${place}`);
    place += 1;
  }
  const groups = groupsOf(reading.realm);
  for (const channel of reading.index.talks()) {
    if (channel.startsWith(GROUP)) yield { item: groupOf(channel, groups, reading) };
    else if (isWithOneself(channel)) yield { leftOut: { kind: "direct", reason: "with_oneself", example: channel } };
    else yield { item: talkOf(channel, "direct", channel.split(",")) };
  }
}

/** A stream whose history is not for those who join later is not for everybody. */
function streamItem(value: unknown, reading: Reading, place: string): Item<SourceChannel> {
  const fields = fieldsOf(value) ?? {};
  const id = idOf(fields, "id");
  if (id === "") return { leftOut: { kind: "channel", reason: "no_id", example: place } };
  const isPrivate = fields.invite_only === true || fields.history_public_to_subscribers === false;
  const made = timeOf(fields, "date_created");
  return {
    item: {
      id,
      name: streamName(fields),
      kind: isPrivate ? "private" : "public",
      topic: wordsOf(textTree(textOf(fields, "description"), reading)),
      isArchived: fields.deactivated === true,
      creatorId: idOf(fields, "creator") || null,
      memberIds: reading.index.membersOf(reading.realm.streams.get(id)?.recipient ?? ""),
      // Undo compares it with the time of the import, so it is never later.
      createdAt: made === null || made <= 0 ? null : Math.min(made, reading.now),
    },
  };
}

/** Returns the recipients of conversations of several people, by their channels. */
function groupsOf({ recipients }: Realm): Map<string, string> {
  const groups = new Map<string, string>();
  for (const [recipient, to] of recipients) if (to.kind === "huddle") groups.set(`${GROUP}${to.id}`, recipient);
  return groups;
}

const groupOf = (channel: string, groups: ReadonlyMap<string, string>, { index }: Reading): SourceChannel =>
  talkOf(channel, "group", index.membersOf(groups.get(channel) ?? ""));

const talkOf = (id: string, kind: "direct" | "group", memberIds: readonly string[]): SourceChannel => ({
  id,
  name: "",
  kind,
  topic: "",
  isArchived: false,
  creatorId: null,
  memberIds,
  createdAt: null,
});
