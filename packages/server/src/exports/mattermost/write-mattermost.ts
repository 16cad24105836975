import type { ExportWork } from "../export-work.ts";
import { writeFileBytes } from "../read/files.ts";
import { FileQueue } from "../target/file-queue.ts";
import type { TargetFile } from "../target/target.ts";
import { type PeopleWriter, writeEmoji, writePeople } from "./people-lines.ts";
import { writePosts } from "./post-lines.ts";
import { type Room, roomsOf } from "./rooms.ts";
import { teamOf } from "./target-names.ts";

const [HEADER_MAX, PURPOSE_MAX, NAME_MAX] = [1_024, 250, 64];
const first = (text: string, characters: number): string => [...text].slice(0, characters).join("");

/** Writes `import.jsonl` and `data/`, as Mattermost's bulk import reads them: each kind of line before those that name it. */
export async function writeMattermost(work: ExportWork): Promise<void> {
  await using queue = new FileQueue(`${work.target.path}.files.partial`);
  const out = await work.target.file("import.jsonl", { isMain: true });
  const team = teamOf(work.config);
  const writer: PeopleWriter = { work, out, queue, team: team.name };
  const created = new Date(work.now).toISOString();
  await writeLine(out, { type: "version", version: 1, info: { generator: "Parley", version: "", created } });
  await writeEmoji(writer);
  await writeLine(out, { type: "team", team: { ...team, type: "I", allow_open_invite: false } });
  const rooms = await roomsOf(work);
  for (const room of rooms) if (room.members === null) await writeLine(out, channelLine(room, team.name));
  await writePeople(writer, rooms);
  for (const room of rooms) if (room.members === null) await writePosts(writer, room);
  for (const { members } of rooms)
    if (members !== null) await writeLine(out, { type: "direct_channel", direct_channel: { members, header: "" } });
  for (const room of rooms) if (room.members !== null) await writePosts(writer, room);
  work.tally.take("channels", rooms.length);
  await out.close();
  for await (const { path, file } of queue.files()) await writeFileBytes(work, path, file);
}

const writeLine = (out: TargetFile, record: object): Promise<void> => out.write(`${JSON.stringify(record)}\n`);

const channelLine = (room: Room, team: string) => ({
  type: "channel",
  channel: {
    team,
    name: room.slug,
    display_name: first(room.name, NAME_MAX),
    type: room.kind === "public" ? "O" : "P",
    header: first(room.topic, HEADER_MAX),
    purpose: first(room.description, PURPOSE_MAX),
  },
});
