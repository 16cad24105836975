import { MAIL_LANGUAGES, type MailLanguage } from "@parley/protocol/mail";
import type { AppContext } from "../../context.ts";
import { findUserById, setFirstLanguage, setLanguage } from "../accounts.store.ts";

const HEADER_MAX = 200;

/** Returns the language of mails that a browser asks for first (`Accept-Language`); null: none of them, or no header. */
export function languageAsked(header: string | null): MailLanguage | null {
  const wishes = (header ?? "")
    .slice(0, HEADER_MAX)
    .split(",")
    .map((part, at) => {
      const [tag = "", ...rest] = part.trim().toLowerCase().split(";");
      const quality = Number(/^\s*q=([\d.]+)$/.exec(rest[0] ?? "")?.[1] ?? 1);
      return { language: mailLanguage(tag), quality, at };
    })
    .filter(({ language, quality }) => language !== null && quality > 0);
  wishes.sort((one, other) => other.quality - one.quality || one.at - other.at);
  return wishes[0]?.language ?? null;
}

/** Returns the language of mails for a tag such as `zh-Hans-CN`; null if mails are not written in it. */
export function mailLanguage(tag: string | null): MailLanguage | null {
  const [primary] = (tag ?? "").toLowerCase().split("-");
  return MAIL_LANGUAGES.find((language) => language === primary) ?? null;
}

/** Returns the language in which mails to a user are written. */
export const languageOf = (user: { readonly language: string | null }): MailLanguage =>
  mailLanguage(user.language) ?? "en";

/** Returns the language of mails that is stored for a user; null: none. */
export const storedLanguage = async (ctx: AppContext, userId: number): Promise<string | null> =>
  (await findUserById(ctx.db, userId))?.language ?? null;

/** Stores the language of a login, if the user has none yet, in the caller's transaction. */
export async function noteLanguage(ctx: AppContext, userId: number, language: MailLanguage | null): Promise<void> {
  if (language !== null) await setFirstLanguage(ctx.db, userId, language);
}

/** Stores the language that a user has chosen for mails, in the caller's transaction. */
export const chooseLanguage = (ctx: AppContext, userId: number, language: MailLanguage): Promise<void> =>
  setLanguage(ctx.db, userId, language);
