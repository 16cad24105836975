import { type Fields, textOf } from "../fields.ts";
import { idOf } from "./snowflake.ts";

const NAME_MAX = 200;

/** Returns the name of an author, which tells webhooks of one id apart. */
export const nameOf = (author: Fields): string => textOf(author, "name").slice(0, NAME_MAX);

/**
 * Returns the source id of an author; empty if there is none. Bridges write for many people by one webhook, with their names:
 * each name is an agent of its own.
 */
export function authorIdOf(author: Fields): string {
  const id = idOf(author, "id");
  return id !== "" && isWebhook(author) ? `${id}/${nameOf(author)}` : id;
}

/** True for a webhook: true bots have a discriminator. */
export const isWebhook = (author: Fields): boolean =>
  author.isBot === true && /^0{1,4}$/.test(textOf(author, "discriminator"));
