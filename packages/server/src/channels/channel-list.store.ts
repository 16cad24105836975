import type { Db } from "../db/db.ts";
import type { Channel, ChannelRole } from "./channel.ts";
import type { Reading } from "./channel-json.ts";
import { channelOf, channelRows } from "./channels.store.ts";
import { unreadCount } from "./reading/reading.store.ts";

/** A channel in the list, with the caller-specific fields. */
export interface ListedChannel {
  channel: Channel;
  myRole: ChannelRole | null;
  /** null: the caller is not a user who belongs to the channel. */
  reading: Reading | null;
  lastSeq: number;
  oldestMessageId: number | null;
}

export interface ListViewer {
  userId?: number;
  agentId?: number;
  /** The channels to which an agent's key is limited. */
  only?: readonly number[];
}

/**
 * Selects the channels shown to a caller: public ones, private ones with a password, and the caller's own (protocol
 * §3). Omits conversations the caller closed, unless they have newer messages.
 */
function visibleRows(db: Db, { userId = 0, agentId = 0, only }: ListViewer) {
  return channelRows(db)
    .$if(only !== undefined, (all) => all.where("channels.id", "in", only ?? []))
    .leftJoin("channel_members as mine", (join) =>
      join.onRef("mine.channel_id", "=", "channels.id").on("mine.user_id", "=", userId),
    )
    .leftJoin("channel_agents as added", (join) =>
      join.onRef("added.channel_id", "=", "channels.id").on("added.agent_id", "=", agentId),
    )
    .where((eb) =>
      eb.or([
        eb("channels.is_private", "=", 0),
        eb("channels.password_hash", "is not", null),
        eb("mine.user_id", "is not", null),
        eb("added.agent_id", "is not", null),
      ]),
    )
    .where((eb) => {
      const closedSeq = eb
        .case()
        .when("direct.low_user_id", "=", userId)
        .then(eb.ref("direct.low_closed_seq"))
        .when("direct_agents.user_id", "=", userId)
        .then(eb.ref("direct_agents.closed_seq"))
        .else(eb.ref("direct.high_closed_seq"))
        .end();
      const later = eb
        .selectFrom("messages")
        .select("messages.id")
        .whereRef("messages.channel_id", "=", "channels.id")
        .where("messages.seq", ">", closedSeq);
      return eb.or([eb(closedSeq, "is", null), eb.exists(later)]);
    })
    .orderBy("channels.id");
}

/** Returns the ids of the caller's own channels, in order. */
export async function ownChannelIds(db: Db, viewer: ListViewer): Promise<number[]> {
  const { userId, agentId } = viewer;
  const own =
    userId !== undefined
      ? db.selectFrom("channel_members").select("channel_id").where("user_id", "=", userId)
      : db
          .selectFrom("channel_agents")
          .select("channel_id")
          .where("agent_id", "=", agentId ?? 0);
  const rows = await visibleRows(db, viewer)
    .clearSelect()
    .select("channels.id")
    .where("channels.id", "in", own)
    .execute();
  return rows.map(({ id }) => id);
}

interface OthersPage {
  afterId: number;
  limit: number;
  offset: number;
}

/** Returns the ids of channels everyone can find, in order, without the caller's own. */
export async function otherChannelIds(db: Db, viewer: ListViewer, page: OthersPage): Promise<number[]> {
  const rows = await otherChannels(db, viewer, page).execute();
  return rows.map(({ id }) => id);
}

/** Selects them. Exported for the test of its plan. */
export function otherChannels(db: Db, viewer: ListViewer, page: OthersPage) {
  return (
    visibleRows(db, viewer)
      .clearSelect()
      .select("channels.id")
      // Word for word the condition of the index `channels_to_find`, without which all private channels are walked through.
      .where((eb) => eb.or([eb("channels.is_private", "=", eb.lit(0)), eb("channels.password_hash", "is not", null)]))
      .where("mine.user_id", "is", null)
      .where("added.agent_id", "is", null)
      .where("channels.id", ">", page.afterId)
      .limit(page.limit)
      .offset(page.offset)
  );
}

/** Returns those of these channels that the caller may see, ordered by id. */
export async function listChannels(db: Db, viewer: ListViewer, ids: readonly number[]): Promise<ListedChannel[]> {
  const rows = await visibleRows(db, viewer)
    .select([
      "mine.role as my_role",
      "mine.last_read_seq",
      "mine.unread_from_seq",
      "added.agent_id as added_agent_id",
      unreadCount(viewer.userId ?? 0).as("unread"),
    ])
    .select((eb) => [
      eb
        .selectFrom("messages")
        .whereRef("messages.channel_id", "=", "channels.id")
        .select("messages.id")
        .orderBy("messages.seq")
        .limit(1)
        .as("oldest_id"),
    ])
    .where("channels.id", "in", ids)
    .execute();
  return rows.map((row) => ({
    channel: channelOf(row),
    myRole: row.my_role ?? (row.added_agent_id === null ? null : "member"),
    reading:
      row.last_read_seq === null
        ? null
        : {
            lastReadSeq: row.last_read_seq,
            unreadFromSeq: row.unread_from_seq,
            unreadCount: Number(row.unread),
          },
    lastSeq: row.last_seq,
    oldestMessageId: row.oldest_id,
  }));
}
