import { EXPORT_VERSION, UserExport } from "@parley/protocol/privacy";
import { storedLanguage } from "../accounts/addresses/language.ts";
import { readUser, visibleUser } from "../accounts/profiles/profiles.service.ts";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { jsonList } from "../http/answers/streamed.ts";
import type { UserIdentity } from "../http/identity.ts";
import type { Module } from "../module.ts";
import { readHonor } from "../points/honor.service.ts";
import type { ExportPart } from "../user-export.ts";

/**
 * Throws unless the caller exports their own data; others can read the profile. Errors: `user_not_found`, `forbidden`.
 */
export async function checkOwnExport(ctx: AppContext, caller: UserIdentity, username: string): Promise<void> {
  if ((await visibleUser(ctx, caller, username)).id !== caller.userId) throw fail("forbidden");
}

/** The lists of the document by name, in its order. */
export type ExportParts = readonly (readonly [name: string, part: ExportPart])[];

/** Returns the lists that the modules give, in the order of the document's schema. Others follow by name. */
export function partsOf(all: readonly Module[]): ExportParts {
  const parts = all.flatMap(({ exports = {} }) => Object.entries(exports));
  return parts.sort(([one], [other]) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1));
}

const NAMES = Object.keys(UserExport.properties);
const placeOf = (name: string): number => (NAMES.includes(name) ? NAMES.indexOf(name) : NAMES.length);

/** Yields all stored data of the caller as the text of one JSON document (`UserExport`), in pieces. */
export async function* userExport(ctx: AppContext, caller: UserIdentity, parts: ExportParts): AsyncGenerator<string> {
  const counts: Record<string, number> = {};
  const { invite_count, ...honor } = await readHonor(ctx, { id: caller.userId });
  const own = await readUser(ctx, caller, caller.username);
  const language = await storedLanguage(ctx, caller.userId);
  const user = { ...own, ...honor, invited_users: invite_count, language };
  const exported_at = isoTime(ctx.clock.now());
  const head = { success: true, format: "parley-user-export", version: EXPORT_VERSION, exported_at, user };
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, part] of parts) yield* jsonList(name, part(ctx, caller), counts);
  yield `,"counts":${JSON.stringify(counts)},"complete":true}`;
}
