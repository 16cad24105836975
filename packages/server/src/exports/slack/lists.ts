import type { ExportWork } from "../export-work.ts";
import { Addresses } from "../read/addresses.ts";
import { channelMembers, type ExportChannel } from "../read/channels.ts";
import { type UserRow, users } from "../read/people.store.ts";
import type { Person } from "../read/people.ts";
import type { Pin } from "./channel-files.ts";
import { JsonList } from "./json-list.ts";
import { encoded } from "./mrkdwn.ts";
import { botId, channelId, slackId } from "./slack-ids.ts";

/** Writes everybody who is taken, agents as bots. Webhooks are named by their messages only. */
export async function writeUsers(work: ExportWork, team: string): Promise<void> {
  const list = await JsonList.begin(work.target, "users.json", { isMain: true });
  const addresses = new Addresses();
  for await (const page of users(work.db)) {
    for (const row of page) {
      const person = work.people.userOf(row.id);
      if (!person.isTaken) {
        work.tally.leaveOut({ kind: "user", reason: "not_chosen", example: row.username });
        continue;
      }
      await list.add(userJson(person, team, row, { now: work.now, email: addresses.of(person, row.email) }));
      work.tally.take("users");
    }
  }
  for (const person of work.people.agents) {
    if (!person.isTaken) continue;
    await list.add(botJson(person, team, addresses.of(person, null)));
    work.tally.take("agents");
  }
  for (const person of work.people.webhooks) work.tally.take("agents", person.isTaken ? 1 : 0);
  if (work.people.hasDeleted)
    await list.add({
      ...recordOf(work.people.deleted, team, "", { email: addresses.of(work.people.deleted, null) }),
      deleted: true,
    });
  await list.end();
}

const recordOf = (person: Person, team_id: string, real_name: string, profile: object) => ({
  id: slackId(person),
  team_id,
  name: person.handle,
  deleted: false,
  real_name,
  is_bot: false,
  profile: {
    real_name,
    real_name_normalized: real_name,
    display_name: real_name,
    team: team_id,
    ...profile,
  },
});

const userJson = (
  person: Person,
  team: string,
  { display_name, suspended_until, updated_at }: UserRow,
  { now, email }: { now: number; email: string },
) => ({
  ...recordOf(person, team, display_name ?? "", { email }),
  deleted: suspended_until !== null && suspended_until > now,
  updated: Math.floor(updated_at / 1_000),
});

const botJson = (person: Person, team: string, email: string) => ({
  ...recordOf(person, team, person.name, { email, bot_id: botId(person) }),
  is_bot: true,
});

/** A channel with its pins, which are known when its messages are written. */
export interface Listed {
  readonly channel: ExportChannel;
  readonly name: string;
  readonly pins: readonly Pin[];
}

const FILES = {
  public: "channels.json",
  private: "groups.json",
  direct: "dms.json",
  group: "mpims.json",
} as const;

/** Writes the lists of channels and conversations; those that have none are empty. */
export async function writeChannels(work: ExportWork, listed: readonly Listed[]): Promise<void> {
  for (const kind of ["public", "private", "direct", "group"] as const) {
    const list = await JsonList.begin(work.target, FILES[kind], { isMain: true });
    for (const each of listed) if (each.channel.kind === kind) await list.add(await channelJson(work, each));
    await list.end();
  }
}

async function channelJson({ db, people }: ExportWork, { channel, name, pins }: Listed): Promise<object> {
  const ids = (await channelMembers(db, people, channel)).map(({ person }) => slackId(person));
  const created = Math.floor(channel.createdAt / 1_000);
  const pinned = pins.length === 0 ? {} : { pins };
  if (channel.kind === "direct") return { id: channelId(channel), created, members: ids, ...pinned };
  const owner = channel.ownerId === null ? undefined : people.userOf(channel.ownerId);
  // Rocket.Chat leaves out channels that nobody made.
  const creator = owner?.isTaken === true ? slackId(owner) : (ids[0] ?? "USLACKBOT");
  const text = (value: string) => ({ value: encoded(value), creator, last_set: created });
  return {
    id: channelId(channel),
    name,
    created,
    creator,
    is_archived: false,
    is_general: channel.slug === "general",
    members: ids,
    topic: text(channel.topic),
    purpose: text(channel.description),
    ...pinned,
  };
}
