import { type Fields, fieldsOf, lines, link, listOf, moment, paragraphs, stringOf, strong } from "./fields.ts";

/** Returns the text of the form that Discord's webhooks take; empty if it says nothing. Its marks are Markdown's. */
export const discordPayload = ({ content, embeds, poll }: Fields): string =>
  paragraphs([discordText(content), ...listOf(embeds).map(textOfEmbed), pollText(fieldsOf(poll))]);

function textOfEmbed(embed: Fields): string {
  const [author, footer] = [fieldsOf(embed.author), fieldsOf(embed.footer)];
  const title = discordText(embed.title);
  const fields = listOf(embed.fields).map((field) =>
    [strong(discordText(field.name)), discordText(field.value)].filter(Boolean).join(" "),
  );
  return lines([
    link(stringOf(author.name), author.url),
    link("x", embed.url) === "x" ? strong(title) : link(title, embed.url),
    discordText(embed.description),
    ...fields,
    link("", fieldsOf(embed.image).url),
    link("", fieldsOf(embed.thumbnail).url),
    [stringOf(footer.text), moment(embed.timestamp)].filter(Boolean).join(" · "),
  ]);
}

function pollText({ question, answers }: Fields): string {
  const choices = listOf(answers).map((answer) => `- ${stringOf(fieldsOf(answer.poll_media).text)}`);
  return lines([strong(stringOf(fieldsOf(question).text)), ...choices]);
}

/** Replaces what only Discord can show: moments and its own emoji. */
const discordText = (value: unknown): string =>
  stringOf(value)
    .replace(/<t:(-?\d{1,12})(?::[a-zA-Z])?>/g, (all, seconds: string) => moment(seconds) || all)
    .replace(/<a?(:\w+:)\d+>/g, "$1");
