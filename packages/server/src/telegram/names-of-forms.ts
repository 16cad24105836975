import { lookUpNames } from "../accounts/names/name-directory.ts";
import { nameKey } from "../accounts/names/names.ts";
import type { AppContext } from "../context.ts";
import { botOf } from "./bots.ts";
import { usernameOf } from "./ids.ts";
import { findNamesLike } from "./telegram.store.ts";
import { WRITTEN } from "./text/with-names.ts";

const NUMBERED = /^bot(\d{1,15})$/i;
/** Names of a text for which the database is searched. */
const SEARCHED_MAX = 10;

/**
 * Returns the names that a text mentions in their ASCII form, by that form in lower case (protocol §15.2). Not in it: a
 * form that is itself a name, and one that several names have.
 */
export async function namesOfForms(ctx: AppContext, text: string): Promise<Map<string, string>> {
  const written = [...text.matchAll(WRITTEN)].map(([, form = ""]) => form.toLowerCase());
  const forms = [...new Set(written.filter((form) => form.includes("_") || NUMBERED.test(form)))];
  const found = new Map<string, string>();
  if (forms.length === 0) return found;
  const own = await lookUpNames(ctx, forms.map(nameKey));
  for (const form of forms.filter((form) => own.get(nameKey(form)) === null).slice(0, SEARCHED_MAX)) {
    const name = await nameOf(ctx, form);
    if (name !== null) found.set(form, name);
  }
  return found;
}

async function nameOf(ctx: AppContext, form: string): Promise<string | null> {
  const [, number] = NUMBERED.exec(form) ?? [];
  if (number !== undefined) {
    const bot = await botOf(ctx, Number(number));
    return bot !== null && usernameOf(bot.name, bot.id) === form ? bot.name : null;
  }
  const rows = await findNamesLike(ctx.db, form);
  const [only, other] = rows.filter(({ name }) => usernameOf(name, null).toLowerCase() === form);
  return only !== undefined && other === undefined ? only.name : null;
}
