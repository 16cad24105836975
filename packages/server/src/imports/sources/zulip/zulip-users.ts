import type { Item, SourceFile, SourceUser } from "../../source.ts";
import { type Fields, fieldsOf, textOf } from "../fields.ts";
import { type Layout, readRows } from "./layout.ts";
import { pictureOf } from "./zulip-emoji.ts";
import { idOf } from "./zulip-fields.ts";
import { addressOf } from "./zulip-realm.ts";

const TABLES = new Set(["zerver_userprofile", "zerver_userprofile_mirrordummy"]);

/** Reads the people and bots of the organisation. */
export async function* readUsers(layout: Layout): AsyncGenerator<Item<SourceUser>> {
  const pictures = await avatarsOf(layout);
  let index = 0;
  for await (const { table, value } of readRows(layout, "realm.json", true)) {
    if (!TABLES.has(table)) continue;
    const fields = fieldsOf(value) ?? {};
    if (idOf(fields, "id") === "")
      yield { leftOut: { kind: "user", reason: "no_id", example: `realm.json#${table}#${index}` } };
    else yield { item: userOf(fields, table.endsWith("mirrordummy"), pictures) };
    index += 1;
  }
}

function userOf(fields: Fields, isDummy: boolean, pictures: ReadonlyMap<string, SourceFile>): SourceUser {
  const id = idOf(fields, "id");
  const name = textOf(fields, "full_name").slice(0, 1_000);
  const avatar = textOf(fields, "avatar_source") === "U" ? pictures.get(id) : undefined;
  const isBot = fields.is_bot === true;
  return {
    id,
    name: name || `unknown-${id}`,
    displayName: name || null,
    email: isBot ? null : addressOf(fields),
    ...(avatar === undefined ? {} : { avatar }),
    kind: isBot ? "bot" : "person",
    isGone: isDummy || fields.is_active === false || fields.is_mirror_dummy === true,
  };
}

const PICTURES_MAX = 200_000;

/** Returns the pictures of people, by their ids. Beside each one is the larger one that was uploaded. */
async function avatarsOf(layout: Layout): Promise<Map<string, SourceFile>> {
  const pictures = new Map<string, SourceFile>();
  for await (const { value } of readRows(layout, "avatars/records.json", false)) {
    const fields = fieldsOf(value) ?? {};
    const [user, name] = [idOf(fields, "user_profile_id"), textOf(fields, "path")];
    const path = `${layout.root}avatars/${name}`;
    if (user === "" || /original$|-medium\.png$/.test(name) || layout.archive.find(path) === null) continue;
    if (pictures.size < PICTURES_MAX) pictures.set(user, pictureOf(layout, path, name.split("/").at(-1) ?? name));
  }
  return pictures;
}
