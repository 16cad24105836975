import type { Clock } from "../../../clock.ts";
import type { Archive } from "../../archive/archive.ts";
import type { Item, OpenSource, SourceEmoji, SourceMessage } from "../../source.ts";
import { archiveFile } from "../archive-file.ts";
import { type Directory, readDirectory } from "./directory.ts";
import { fileAt, findLayout, type Layout, readAllLines } from "./layout.ts";
import { readChannels } from "./mattermost-channels.ts";
import { lacksOf } from "./mattermost-lacks.ts";
import { readUsers } from "./mattermost-users.ts";
import { PostNumbers } from "./post-numbers.ts";
import { postItems, type Reading } from "./posts.ts";
import { Senders } from "./senders.ts";
import type { MattermostNames } from "./text/mattermost-names.ts";

/** Opens Mattermost's bulk export (`Format.open`). */
export async function openMattermost(archive: Archive, clock: Pick<Clock, "now">): Promise<OpenSource | null> {
  const layout = findLayout(archive);
  const directory = layout === undefined ? null : await readDirectory(layout);
  if (layout === undefined || directory === null) return null;
  const names = namesOf(directory);
  const lost = [...emojiOf(layout, directory)].filter((each) => "leftOut" in each).length;
  let senders = new Senders(directory, archive.path);
  return {
    format: "mattermost",
    workspace: workspaceOf(directory),
    fingerprint: archive.fingerprint,
    recordBytes: archive.find(layout.file)?.size ?? 0,
    lacks: lacksOf(layout, directory, lost),
    users: () => readUsers(layout, directory),
    channels: () => readChannels(directory),
    async *emoji() {
      yield* emojiOf(layout, directory);
    },
    messages(channelIds) {
      senders = new Senders(directory, archive.path);
      return readPosts({ layout, directory, names, senders, channelIds, now: clock.now() });
    },
    strangers: () => senders.strangers,
    get replacedCharacters() {
      return layout.replaced;
    },
    file: async (path) => archiveFile(archive, path),
    [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose](),
  };
}

/** An export does not name its server. Its first team does not change when others are added, unless their ids are smaller. */
function workspaceOf({ teams, channels }: Directory): OpenSource["workspace"] {
  const [[name, team] = []] = [...teams].slice(0, 1);
  const id = name ?? [...channels.values()].find((channel) => channel.team !== "")?.team ?? "mattermost";
  return { id, name: team?.displayName ?? id };
}

function namesOf({ people, channels, emoji, teams }: Directory): MattermostNames {
  const channel = (name: string, team: string | null): string | undefined => {
    const [only] = teams.size === 1 ? teams.keys() : [];
    const id = `${team ?? only}/${name}`;
    return channels.has(id) ? id : undefined;
  };
  return { isPerson: (username) => people.has(username), channel, hasEmoji: (name) => emoji.has(name) };
}

function* emojiOf(layout: Layout, { emoji }: Directory): Generator<Item<SourceEmoji>> {
  for (const [name, image] of emoji) {
    const picture = fileAt(layout, image);
    if (image === "" || picture.path === null)
      yield { leftOut: { kind: "emoji", reason: "no_picture", example: name } };
    else yield { item: { name, picture } };
  }
}

async function* readPosts(about: Omit<Reading, "numbers" | "count">): AsyncGenerator<Item<SourceMessage>> {
  using numbers = new PostNumbers();
  const reading: Reading = { ...about, numbers, count: 0 };
  for await (const line of readAllLines(about.layout)) yield* postItems(reading, line);
}
