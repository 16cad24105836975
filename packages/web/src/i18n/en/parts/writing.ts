import { plural } from "../../locale.ts";

/** English texts of what the composer offers while one writes, and of drafts. `zh.ts` has the same keys. */
export const EN_WRITING = {
  asFile: "Attach as a file",
  asCode: "Make it a code block",
  keep: "Keep it as text",
  looksLikeCode: "This looks like code.",
  draft: "Draft",
  fileName: "message.txt",
  asMessages: (count: number) => `Send as ${plural(count, "message", "messages")}`,
};
