import type { Millis } from "../../../db/columns.ts";
import { CHANNELS_MAX, type Item, type SourceChannel } from "../../source.ts";
import { wordsOf } from "../../tree-words.ts";
import { countOf, type Fields, fieldsOf, partOf, partsOf, textOf, textsOf } from "../fields.ts";
import { CHANNELS, tooMany } from "../too-many.ts";
import { dayFiles, type Layout, readList } from "./layout.ts";
import { SLACK_LISTS } from "./slack-lists.ts";
import { withoutTokens } from "./text/link-tokens.ts";
import { textTree } from "./text/mrkdwn.ts";
import type { SlackNames } from "./text/references.ts";

const KINDS = {
  "channels.json": "public",
  "groups.json": "private",
  "dms.json": "direct",
  "mpims.json": "group",
} as const;

/** A conversation, as the reading of messages keeps it. */
export interface Room {
  readonly id: string;
  readonly name: string;
  readonly kind: SourceChannel["kind"];
  /** Where its day files are. */
  readonly folder: string;
  /** The ts of its pinned messages. */
  readonly pins: readonly string[];
}

/** Reads the conversations of all lists. */
export async function* readChannels(
  layout: Layout,
  names: SlackNames,
  now: Millis,
): AsyncGenerator<Item<SourceChannel>> {
  for (const list of SLACK_LISTS) {
    let index = 0;
    for await (const value of readList(layout, list)) {
      yield channelItem(fieldsOf(value) ?? {}, KINDS[list], { names, now }, `${list}#${index}`);
      index += 1;
    }
  }
}

function channelItem(
  fields: Fields,
  kind: SourceChannel["kind"],
  { names, now }: { names: SlackNames; now: Millis },
  place: string,
): Item<SourceChannel> {
  const id = textOf(fields, "id");
  if (id === "") return { leftOut: { kind: "channel", reason: "no_id", example: place } };
  const memberIds = textsOf(fields, "members");
  if (kind === "direct" && memberIds.length < 2) {
    return { leftOut: { kind: "direct", reason: "with_oneself", example: id } };
  }
  // Undo compares it with the time of the import, so it is never later.
  const seconds = countOf(fields, "created");
  const topic = textOf(partOf(fields, "topic"), "value") || textOf(partOf(fields, "purpose"), "value");
  return {
    item: {
      id,
      name: kind === "direct" ? "" : textOf(fields, "name"),
      kind: kind === "direct" && memberIds.length > 2 ? "group" : visibleKind(fields, kind),
      topic: kind === "public" || kind === "private" ? plainText(topic, names) : "",
      isArchived: fields.is_archived === true,
      creatorId: textOf(fields, "creator") || null,
      memberIds,
      createdAt: seconds === null || seconds === 0 ? null : Math.min(seconds * 1000, now),
    },
  };
}

/** People of other workspaces read shared channels, so these are not for everybody here. */
function visibleKind(fields: Fields, kind: SourceChannel["kind"]): SourceChannel["kind"] {
  const isForeign = fields.is_ext_shared === true || (fields.is_shared === true && fields.is_org_shared !== true);
  return kind === "public" && (isForeign || fields.is_private === true) ? "private" : kind;
}

const plainText = (mrkdwn: string, names: SlackNames): string => withoutTokens(wordsOf(textTree(mrkdwn, names)));

/** Reads the lists once, for the reading of messages. Two conversations never share a folder. */
export async function readRooms(layout: Layout): Promise<Room[]> {
  const rooms: Room[] = [];
  const folders = new Set<string>();
  for (const list of SLACK_LISTS) {
    for await (const value of readList(layout, list)) {
      const fields = fieldsOf(value) ?? {};
      const [id, name] = [textOf(fields, "id"), textOf(fields, "name")];
      if (id === "") continue;
      // A Mac names the folders that it unpacks with accents apart from their letters.
      const candidates = [name, name.normalize("NFD"), name.normalize("NFC"), id];
      const folder = candidates.find((each) => each !== "" && !folders.has(each) && hasDays(layout, each)) ?? id;
      folders.add(folder);
      const pins = partsOf(fields, "pins").map((pin) => textOf(pin, "id"));
      rooms.push({ id, name: name || id, kind: KINDS[list], folder, pins: pins.filter(Boolean) });
      if (rooms.length > CHANNELS_MAX) throw tooMany(layout.archive.path, CHANNELS);
    }
  }
  return rooms;
}

const hasDays = (layout: Layout, folder: string): boolean => dayFiles(layout, folder).next().done !== true;
