import { type Fields, fieldsOf, lines, link, listOf, moment, paragraphs, stringOf, strong } from "./fields.ts";
import { slackText } from "./mrkdwn.ts";
import { richText } from "./rich-text.ts";

const DIVIDER = "---";

/** Returns the text of Slack's form: `text`, `blocks` and `attachments`; empty if it says nothing. */
export function slackPayload(payload: Fields): string {
  const blocks = textOfBlocks(payload.blocks);
  // Slack shows `text` only where there are no blocks.
  const said = blocks === "" ? slackText(payload.text) : blocks;
  return paragraphs([said, ...listOf(payload.attachments).map(textOfAttachment)]);
}

const textOfBlocks = (value: unknown): string => paragraphs(listOf(value).map(textOfBlock));

/** Returns the text of a message's blocks. */
export const slackBlocks = (blocks: readonly Fields[]): string => textOfBlocks(blocks);

function textOfBlock(block: Fields): string {
  switch (block.type) {
    case "header":
      return strong(textObject(block.text));
    case "section":
      return lines([
        textObject(block.text),
        ...listOf(block.fields).map(textObject),
        textOfElement(fieldsOf(block.accessory)),
      ]);
    case "context":
      return listOf(block.elements).map(textOfElement).filter(Boolean).join(" · ");
    case "actions":
      return listOf(block.elements).map(textOfElement).filter(Boolean).join(" · ");
    case "rich_text":
      return richText(block);
    case "markdown":
      return stringOf(block.text);
    case "image":
    case "video":
      return textOfElement(block);
    case "divider":
      return DIVIDER;
    default:
      return textObject(block.text);
  }
}

/** Returns an element of a block: a text, a picture or what people could press. */
function textOfElement(element: Fields): string {
  switch (element.type) {
    case "image":
      return link(titleOf(element), element.image_url ?? fieldsOf(element.slack_file).url);
    case "video":
      return link(titleOf(element), element.title_url ?? element.video_url);
    case "mrkdwn":
    case "plain_text":
      return textObject(element);
    case undefined:
      return "";
    default:
      return pressable(element);
  }
}

const titleOf = ({ title, alt_text }: Fields): string =>
  textObject(title) || stringOf(title) || stringOf(alt_text) || "";

/** Returns the words of a button with its address, or of a menu with its choices. Nothing can be pressed here. */
function pressable({ text, url, placeholder, options }: Fields): string {
  const said = textObject(text) || textObject(placeholder);
  const choices = listOf(options).map((option) => link(textObject(option.text), option.url));
  return [link(said, url), ...choices].filter(Boolean).join(" · ");
}

/** Returns the text of a text object: `{type: "mrkdwn" | "plain_text", text}`. */
function textObject(value: unknown): string {
  const { type, text } = fieldsOf(value);
  return type === "plain_text" ? stringOf(text) : slackText(text);
}

function textOfAttachment(attachment: Fields): string {
  const { title_link, author_link, image_url, thumb_url, ts } = attachment;
  const title = slackText(attachment.title);
  const fields = listOf(attachment.fields).map((field) =>
    [strong(slackText(field.title)), slackText(field.value)].filter(Boolean).join(" "),
  );
  const isLinked = link("x", title_link) !== "x";
  const shown = lines([
    slackText(attachment.pretext),
    link(slackText(attachment.author_name), author_link),
    title === "" || !isLinked ? strong(title) : link(title, title_link),
    slackText(attachment.text),
    ...fields,
    textOfBlocks(attachment.blocks),
    listOf(attachment.actions).map(legacyAction).filter(Boolean).join(" · "),
    link("", image_url),
    link("", thumb_url),
    [slackText(attachment.footer), moment(ts)].filter(Boolean).join(" · "),
  ]);
  return shown === "" ? slackText(attachment.fallback) : shown;
}

/** The buttons that attachments had before blocks: `{type: "button", text: "Open", url}`. */
const legacyAction = ({ text, url }: Fields): string => link(slackText(text), url);
