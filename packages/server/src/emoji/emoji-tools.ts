import { ListEmojiInput, ListEmojiResponse } from "@parley/protocol/emoji";
import { reads, type Tool, tool } from "../mcp/tool.ts";

/** The tool that lists emoji. */
export const emojiTools: readonly Tool[] = [
  tool({
    name: "list_emoji",
    title: "List emoji",
    description:
      "Lists the emoji of this server: pictures that people add. Write one as `:name:` in a message, and react with its name without colons.",
    input: ListEmojiInput,
    output: ListEmojiResponse,
    routes: ["listEmoji"],
    effects: reads(false),
    async run(rest) {
      const body = await rest("listEmoji", {});
      const names = (body.emoji as ListEmojiResponse["emoji"]).map(({ name }) => `:${name}:`);
      return { body, text: names.length === 0 ? "This server has no emoji of its own." : names.join(" ") };
    },
  }),
];
