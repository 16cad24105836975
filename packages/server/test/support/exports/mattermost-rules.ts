import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "./read-export.ts";

const USERNAME = /^[a-z0-9._-]{1,64}$/;
const RESERVED = new Set(["all", "channel", "matterbot", "system"]);
const ORDER = ["version", "emoji", "team", "channel", "user", "bot", "post", "direct_channel", "direct_post"];

/** Returns what Mattermost's server would refuse in an export (server/channels/app/imports/import_validators.go). */
export function refusalsOf(path: string, lines: readonly Json[]): string[] {
  const refusals: string[] = [];
  const check = (isRight: boolean, what: string): void => void (isRight || refusals.push(what));
  const people = new Set<string>();
  const isUser = (name: Json) => check(people.has(name), `unknown user ${name}`);
  let last = 0;
  for (const line of lines) {
    const place = ORDER.indexOf(line.type);
    check(place >= last, `${line.type} comes too late`);
    last = place;
    const record = line[line.type] ?? {};
    const isFile = (name: string) => check(existsSync(join(path, "data", name)), `no file ${name}`);
    if (line.type === "version") check(line.version === 1, "version");
    if (line.type === "team") check(/^[a-z0-9-]{2,64}$/.test(record.name) && /^[OI]$/.test(record.type), "team");
    if (line.type === "channel")
      check(/^[a-z0-9_-]{1,64}$/.test(record.name) && /^[OP]$/.test(record.type), `channel ${record.name}`);
    if (line.type === "emoji") isFile(record.image);
    if (line.type === "user" || line.type === "bot") {
      check(USERNAME.test(record.username) && !RESERVED.has(record.username), `username ${record.username}`);
      check(!people.has(record.username), `username ${record.username} twice`);
      people.add(record.username);
      if (record.profile_image !== undefined) isFile(record.profile_image);
      if (line.type === "bot") check(USERNAME.test(record.owner), `owner of ${record.username}`);
      else check(typeof record.email === "string" && record.email !== "", `email of ${record.username}`);
    }
    const members: Json[] | undefined = record.members ?? record.channel_members;
    if (members !== undefined) check(members.length >= 2 && members.length <= 8, "members");
    for (const member of members ?? []) isUser(member);
    if (!line.type.endsWith("post")) continue;
    for (const post of [record, ...(record.replies ?? [])]) {
      isUser(post.user);
      check(typeof post.message === "string" && [...post.message].length <= 16_383, "message");
      check(Number.isSafeInteger(post.create_at) && post.create_at > 0, "create_at");
      for (const { path: file } of post.attachments ?? []) isFile(file);
      for (const { user, emoji_name, create_at } of post.reactions ?? []) {
        isUser(user);
        check(emoji_name.length <= 64 && create_at >= post.create_at, "reaction");
      }
    }
  }
  return refusals;
}
