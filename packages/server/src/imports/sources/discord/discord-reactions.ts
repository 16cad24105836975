import type { SourceReaction } from "../../source.ts";
import { emojiOfDiscordName } from "../emoji-names.ts";
import { countOf, type Fields, partOf, partsOf, textOf } from "../fields.ts";
import { idOf } from "./snowflake.ts";

const COUNT_MAX = 1_000_000;

/** Reads who reacted how. Exports before 2.42 only count people; of those whom none names, `unnamed` is the number. */
export function reactionsOf(message: Fields): { reactions: SourceReaction[]; unnamed: number } {
  const people = new Map<string, Set<string>>();
  let unnamed = 0;
  for (const each of partsOf(message, "reactions")) {
    const emoji = partOf(each, "emoji");
    const [name, code] = [textOf(emoji, "name"), textOf(emoji, "code")];
    const isOwn = idOf(emoji, "id") !== "";
    const reaction = isOwn ? name : (emojiOfDiscordName(name) ?? name);
    const users = new Set(
      partsOf(each, "users")
        .map((user) => idOf(user, "id"))
        .filter((id) => id !== ""),
    );
    const known = people.get(reaction || code) ?? new Set<string>();
    for (const id of users) known.add(id);
    people.set(reaction || code, known);
    unnamed += Math.max(0, Math.min(countOf(each, "count") ?? 0, COUNT_MAX) - users.size);
  }
  const reactions = [...people].map(([reaction, userIds]) => ({ reaction, userIds: [...userIds] }));
  return { reactions: reactions.filter(({ reaction, userIds }) => reaction !== "" && userIds.length > 0), unnamed };
}
