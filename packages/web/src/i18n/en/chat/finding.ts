import { list, plural } from "../../locale.ts";

/** The texts of searching and jumping. */
export const EN_FINDING = {
  reactedBy: (names: string) => `Reacted: ${names}`,
  /** Names in a sentence, and how many more there are. */
  names: (names: readonly string[], others: number) =>
    list("en", others === 0 ? names : [...names, plural(others, "other", "others")]),
  you: "You",
  reactions: "Reactions",
  noReactions: "Nobody has reacted like this.",
  jump: "Jump to a date",
  jumpFrom: (day: string) => `${day}: jump to a date`,
  day: "Date",
  go: "Go",
  nothingSince: (day: string) => `No messages since ${day}.`,
};
