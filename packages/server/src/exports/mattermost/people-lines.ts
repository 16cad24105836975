import type { ExportWork } from "../export-work.ts";
import { Addresses } from "../read/addresses.ts";
import { channelsOfUsers } from "../read/channels.store.ts";
import { serverEmoji } from "../read/emoji.store.ts";
import type { BytesOf } from "../read/files.ts";
import { avatarsOf, ownersOfAgents, type UserRow, users } from "../read/people.store.ts";
import type { Person } from "../read/people.ts";
import type { FileQueue } from "../target/file-queue.ts";
import type { TargetFile } from "../target/target.ts";
import type { Room } from "./rooms.ts";

const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** Where the lines of people and emoji are written. */
export interface PeopleWriter {
  readonly work: ExportWork;
  readonly out: TargetFile;
  readonly queue: FileQueue;
  readonly team: string;
}

const line = (type: string, record: object): string => `${JSON.stringify({ type, [type]: record })}\n`;

/** Writes the emoji of the server, with their pictures. */
export async function writeEmoji(writer: PeopleWriter): Promise<void> {
  for (const { id, name, mime_type, size_bytes } of await serverEmoji(writer.work.db)) {
    const image = await picture(writer, `emoji/${name}`, { mime_type, size: size_bytes }, { table: "emoji_files", id });
    await writer.out.write(line("emoji", { name, image }));
  }
}

/** Writes the users with their channels, then the agents and webhooks as bots. Nobody becomes an administrator. */
export async function writePeople(writer: PeopleWriter, rooms: readonly Room[]): Promise<void> {
  const { work, out } = writer;
  const addresses = new Addresses();
  const byId = new Map(rooms.filter(({ members }) => members === null).map((room) => [room.id, room]));
  for await (const page of users(work.db)) {
    const taken = page.filter(({ id, username }) => isTaken(work, id, username));
    const ids = taken.map(({ id }) => id);
    const memberships = Map.groupBy(await channelsOfUsers(work.db, ids), ({ user_id }) => user_id);
    const pictures = work.choice.withFiles ? await avatarsOf(work.db, ids) : new Map();
    for (const row of taken) {
      const channels = (memberships.get(row.id) ?? []).flatMap(({ channel_id, role }) => {
        const roles = role === "member" ? "channel_user" : "channel_user channel_admin";
        const room = byId.get(channel_id);
        return room === undefined ? [] : [{ name: room.slug, roles }];
      });
      const user = userOf(writer, row, channels, addresses);
      const found = pictures.get(row.id);
      const bytes = { table: "avatars", id: row.id } as const;
      const image =
        found === undefined
          ? {}
          : { profile_image: await picture(writer, `profile_images/${user.username}`, found, bytes) };
      await out.write(line("user", { ...user, ...image }));
      work.tally.take("users");
    }
  }
  if (work.people.hasDeleted)
    await out.write(line("user", { ...blankUser(work.people.deleted, addresses), delete_at: work.now }));
  await writeBots(writer);
}

function isTaken({ people, tally }: ExportWork, id: number, username: string): boolean {
  const { isTaken } = people.userOf(id);
  if (!isTaken) tally.leaveOut({ kind: "user", reason: "not_chosen", example: username });
  return isTaken;
}

const blankUser = (person: Person, addresses: Addresses, email: string | null = null) => ({
  username: person.handle,
  email: addresses.of(person, email),
  nickname: "",
  first_name: "",
  last_name: "",
  position: "",
  roles: "system_user",
});

function userOf({ work, team }: PeopleWriter, row: UserRow, channels: readonly object[], addresses: Addresses) {
  const isSuspended = row.suspended_until !== null && row.suspended_until > work.now;
  return {
    ...blankUser(work.people.userOf(row.id), addresses, row.email),
    nickname: row.display_name ?? "",
    ...(isSuspended ? { delete_at: row.updated_at } : {}),
    teams: [{ name: team, roles: "team_user", channels }],
  };
}

async function writeBots({ work, out, team }: PeopleWriter): Promise<void> {
  const owners = await ownersOfAgents(work.db);
  for (const person of [...work.people.agents, ...work.people.webhooks]) {
    if (!person.isTaken) continue;
    const ownerId = person.kind === "agent" ? owners.get(person.id) : undefined;
    const owner = ownerId === undefined ? undefined : work.people.userOf(ownerId);
    // The name of no user stands for a program that owns the bot.
    const ownerName = owner?.isTaken === true ? owner.handle : team;
    await out.write(line("bot", { username: person.handle, owner: ownerName, display_name: person.name }));
    work.tally.take("agents");
  }
}

/** Queues a picture, and returns where it will be below `data`. */
async function picture(
  { queue }: PeopleWriter,
  path: string,
  { mime_type, size }: { mime_type: string; size: number },
  bytes: BytesOf,
): Promise<string> {
  const name = `${path}.${ENDINGS[mime_type] ?? "bin"}`;
  const file = { id: name, name, mimeType: mime_type, size: Number(size), alt: null, transcript: null, bytes };
  await queue.add({ path: `data/${name}`, file });
  return name;
}
