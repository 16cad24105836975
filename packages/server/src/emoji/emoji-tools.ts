import { EmojiNames, ListEmojiInput, type ListEmojiResponse } from "@parley/protocol/emoji";
import { reads, type Tool, tool } from "../mcp/tool.ts";

/** The tool that lists emoji. */
export const emojiTools: readonly Tool[] = [
  tool({
    name: "list_emoji",
    title: "List emoji",
    description:
      "Lists the emoji of this server: pictures that people add. Write one as `:name:` in a message, and react with its name without colons.",
    input: ListEmojiInput,
    output: EmojiNames,
    routes: ["listEmoji"],
    effects: reads(false),
    async run(rest) {
      const { emoji } = (await rest("listEmoji", {})) as ListEmojiResponse;
      const names = emoji.map(({ name }) => name);
      const text = names.length === 0 ? "This server has no emoji of its own." : names.join(" ");
      // A model needs no addresses of pictures, of which there may be a thousand.
      return { body: { success: true, names }, text };
    },
  }),
];
