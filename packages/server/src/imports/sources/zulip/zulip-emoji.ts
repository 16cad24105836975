import type { Item, SourceEmoji, SourceFile } from "../../source.ts";
import { emojiOfName } from "../emoji-names.ts";
import { fieldsOf, textOf } from "../fields.ts";
import { emojiOfZulipName } from "./emoji-names.ts";
import { type Layout, readRows } from "./layout.ts";
import { idOf } from "./zulip-fields.ts";
import type { Realm } from "./zulip-realm.ts";

/** Returns the emoji of a name in a text; undefined if the organisation made it itself. */
export const emojiNamed = (name: string, { emoji, ownEmoji }: Pick<Realm, "emoji" | "ownEmoji">): string | undefined =>
  ownEmoji.has(name) ? undefined : (emoji.get(name) ?? emojiOfZulipName(name) ?? emojiOfName(name));

/** Reads the organisation's own emoji of which the export has pictures. */
export async function* readEmoji(layout: Layout): AsyncGenerator<Item<SourceEmoji>> {
  const paths = await picturesOf(layout);
  for await (const { table, value } of readRows(layout, "realm.json", false)) {
    const fields = fieldsOf(value);
    if (table !== "zerver_realmemoji" || fields === undefined || fields.deactivated === true) continue;
    const [name, fileName] = [textOf(fields, "name"), textOf(fields, "file_name")];
    const path = paths.get(fileName) ?? paths.get(name);
    if (name === "") yield { leftOut: { kind: "emoji", reason: "no_name", example: idOf(fields, "id") } };
    else if (path === undefined)
      yield { leftOut: { kind: "emoji", reason: "no_picture", example: name.slice(0, 100) } };
    else yield { item: { name, picture: pictureOf(layout, path, fileName || name) } };
  }
}

const EMOJI_MAX = 20_000;

/** Returns where the pictures are, by their file names or the names of the emoji, in older versions. */
async function picturesOf(layout: Layout): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  for await (const { value } of readRows(layout, "emoji/records.json", false)) {
    const fields = fieldsOf(value) ?? {};
    const path = `${layout.root}emoji/${textOf(fields, "path")}`;
    if (path.endsWith(".original") || layout.archive.find(path) === null) continue;
    for (const key of [textOf(fields, "file_name"), textOf(fields, "name")])
      if (key !== "" && paths.size < EMOJI_MAX) paths.set(key, path);
  }
  return paths;
}

export function pictureOf({ archive, root }: Layout, path: string, name: string): SourceFile {
  const size = archive.find(path)?.size ?? null;
  return { id: path.slice(root.length), name, mimeType: null, size, alt: null, path, url: null };
}
