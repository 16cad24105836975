import { type Fields, partsOf, textOf } from "../fields.ts";

/** Discord allows 10. */
const EMBEDS_MAX = 25;

/** Returns the embeds that a bot made. Those of people, and those of an address in the text, are previews of links. */
export function ownEmbeds(message: Fields, isBot: boolean): Fields[] {
  if (!isBot) return [];
  const text = textOf(message, "content");
  return partsOf(message, "embeds")
    .slice(0, EMBEDS_MAX)
    .filter((embed) => {
      const url = textOf(embed, "url");
      return url === "" || !text.includes(url);
    });
}
