import type { Clock } from "../../../clock.ts";
import type { Archive } from "../../archive/archive.ts";
import type { Item, OpenSource, SourceMessage } from "../../source.ts";
import { archiveFile, bytesOfFiles } from "../archive-file.ts";
import { fieldsOf } from "../fields.ts";
import { findLayout, messageFiles, readRows } from "./layout.ts";
import { readChannels } from "./zulip-channels.ts";
import { readEmoji } from "./zulip-emoji.ts";
import { ZulipIndex } from "./zulip-index.ts";
import { lacksOf } from "./zulip-lacks.ts";
import { messageItems, note } from "./zulip-messages.ts";
import type { Reading } from "./zulip-reading.ts";
import { addRowOfMessages, readRealm } from "./zulip-realm.ts";
import { readUsers } from "./zulip-users.ts";

/** Opens an export of a Zulip organisation (`Format.open`). */
export async function openZulip(archive: Archive, clock: Pick<Clock, "now">): Promise<OpenSource | null> {
  const layout = findLayout(archive);
  if (layout === undefined) return null;
  const index = new ZulipIndex();
  try {
    const realm = await readRealm(layout, index);
    const reading: Reading = { layout, realm, index, now: clock.now(), strangers: new Map() };
    return sourceOf(archive, reading);
  } catch (error) {
    index[Symbol.dispose]();
    throw error;
  }
}

function sourceOf(archive: Archive, reading: Reading): OpenSource {
  const { layout, realm, index, strangers } = reading;
  // Which message is the first of its topic, and who talks with whom, only all messages tell.
  let noted: Promise<void> | undefined;
  const allNoted = (): Promise<void> => {
    noted ??= noteMessages(reading);
    return noted;
  };
  return {
    format: "zulip",
    workspace: { id: realm.id, name: realm.name },
    fingerprint: archive.fingerprint,
    recordBytes: bytesOfFiles(archive, (name) => name.endsWith(".json")),
    lacks: lacksOf(layout, realm),
    users: () => readUsers(layout),
    async *channels() {
      await allNoted();
      yield* readChannels(layout, reading);
    },
    emoji: () => readEmoji(layout),
    async *messages(channelIds) {
      await allNoted();
      strangers.clear();
      yield* readMessages(reading, (channel) => channelIds?.has(channel) !== false);
    },
    strangers: () => strangers.values(),
    get replacedCharacters() {
      return layout.replaced;
    },
    file: async (path) => archiveFile(archive, path),
    async [Symbol.asyncDispose]() {
      index[Symbol.dispose]();
      await archive[Symbol.asyncDispose]();
    },
  };
}

async function noteMessages(reading: Reading): Promise<void> {
  const { layout, realm, index } = reading;
  for (const file of messageFiles(layout)) {
    for await (const { table, value } of readRows(layout, file, false)) {
      if (table === "zerver_message") note(value, reading);
      else addRowOfMessages(realm, index, table, fieldsOf(value) ?? {});
    }
  }
}

async function* readMessages(
  reading: Reading,
  isWanted: (channel: string) => boolean,
): AsyncGenerator<Item<SourceMessage>> {
  for (const file of messageFiles(reading.layout)) {
    let place = 0;
    for await (const { table, value } of readRows(reading.layout, file, true)) {
      // Behind the messages is who has received them, which may be many times as long.
      if (table !== "zerver_message" && place > 0) break;
      if (table !== "zerver_message") continue;
      yield* messageItems(value, `${file}#${place}`, reading, isWanted);
      place += 1;
    }
  }
}
