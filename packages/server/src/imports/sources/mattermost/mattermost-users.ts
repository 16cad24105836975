import type { Item, SourceUser } from "../../source.ts";
import { type Fields, fieldsOf, partOf, textOf } from "../fields.ts";
import { type Directory, isGone } from "./directory.ts";
import { fileAt, isPost, type Layout, readLines } from "./layout.ts";
import { nameOf } from "./names.ts";

/** Reads people and bots. A username that is there twice is one person. */
export async function* readUsers(layout: Layout, directory: Directory): AsyncGenerator<Item<SourceUser>> {
  const seen = new Set<string>();
  let left = directory.peopleLines;
  if (left === 0) return;
  for await (const { value, number } of readLines(layout, (line) => !isPost(line))) {
    const line = fieldsOf(value) ?? {};
    if (line.type !== "user" && line.type !== "bot") continue;
    const user = userOf(layout, directory, partOf(line, line.type));
    if (user === undefined) yield { leftOut: { kind: "user", reason: "no_name", example: `line ${number}` } };
    else if (!seen.has(user.id)) yield { item: user };
    if (user !== undefined) seen.add(user.id);
    left -= 1;
    // All people come before the messages, which need not be read for this.
    if (left === 0) return;
  }
}

function userOf(layout: Layout, { bots }: Directory, fields: Fields): SourceUser | undefined {
  const username = nameOf(fields, "username");
  if (username === "") return undefined;
  const isBot = bots.has(username);
  const names = [nameOf(fields, "first_name"), nameOf(fields, "last_name")].filter(Boolean).join(" ");
  const picture = textOf(fields, "profile_image");
  const avatar = picture === "" ? undefined : fileAt(layout, picture);
  return {
    id: username,
    name: username,
    displayName: nameOf(fields, "display_name") || nameOf(fields, "nickname") || names || null,
    email: isBot ? null : nameOf(fields, "email") || null,
    ...(avatar === undefined || avatar.path === null ? {} : { avatar }),
    kind: isBot ? "bot" : "person",
    isGone: isGone(fields),
  };
}
