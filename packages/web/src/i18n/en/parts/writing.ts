import { plural } from "../../locale.ts";

/** English texts of what the composer offers and says, of drafts, and of messages that are long or were deleted. */
export const EN_WRITING = {
  asFile: "Attach as a file",
  asCode: "Make it a code block",
  keep: "Keep it as text",
  looksLikeCode: "This looks like code.",
  draft: "Draft",
  fileName: "message.txt",
  here: (count: number) =>
    count === 0
      ? "Nobody else is online here."
      : `Reaches ${plural(count, "person who is", "people who are")} online here.`,
  asMessages: (count: number) => `Send as ${plural(count, "message", "messages")}`,
  notInChannel: (names: readonly string[]) =>
    `${listed(names)} ${names.length === 1 ? "is" : "are"} not in this channel and will not see this.`,
  notInConversation: (names: readonly string[]) =>
    `${listed(names)} ${names.length === 1 ? "is" : "are"} not in this conversation and will not see this.`,
  banned: (names: readonly string[]) =>
    `${listed(names)} ${names.length === 1 ? "is" : "are"} banned from this channel and will not see this.`,
  messageDeleted: "Message deleted.",
  undo: "Undo",
  showAll: "Show all",
  addToChannel: (name: string) => `Add ${name} to the channel`,
  added: (name: string) => `${name} is in the channel now and can read this.`,
};

const listed = (names: readonly string[]): string => new Intl.ListFormat("en").format(names);
