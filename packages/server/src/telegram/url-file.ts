import { Slots } from "../base/slots.ts";
import { type AppContext, perServer } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { Outgoing } from "../outgoing/outgoing.ts";
import type { SentFile } from "./fields.ts";
import { badRequest } from "./telegram-error.ts";

/** How long and how large a file may be that the server fetches (protocol §15.5). */
const FETCH_MS = 60_000;
const FETCH_BYTES = 20 * 1024 * 1024;
const NAME_MAX = 200;

/** The requests for files, with places of their own: a slow one takes none of those of webhooks. */
const fetching = perServer((ctx: AppContext) => {
  const limits = { totalMs: FETCH_MS, answerBytes: FETCH_BYTES };
  return new Outgoing({ allow: ctx.config.egressAllow, clock: ctx.clock, limits });
});

/** Files that are fetched at a time: each is in memory until it is stored. */
const held = perServer(() => new Slots({ total: 8, perOwner: 1, shares: {}, waiting: 100, waitMs: 10_000 }));

/**
 * Fetches the file at an address that a bot names, under the rules of protocol §13.12, and runs `use` with it. `owner`:
 * the bot's account, which fetches one file at a time. Errors: 400, `file_too_large`, `overloaded`, those of `use`.
 */
export async function withFileAt<T>(
  ctx: AppContext,
  { url, owner, name }: { url: string; owner: string; name: string },
  use: (file: SentFile) => Promise<T>,
): Promise<T> {
  const result = await held(ctx).run({ owner }, async () => [await use(await fetched(ctx, { url, owner, name }))]);
  if (result === undefined) throw fail("overloaded", { retryAfter: 5 });
  return result[0] as T;
}

async function fetched(
  ctx: AppContext,
  { url, owner, name }: { url: string; owner: string; name: string },
): Promise<SentFile> {
  const purpose = { kind: "file", owner } as const;
  try {
    await fetching(ctx).check(url, purpose);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_url") throw error;
    const [first] = (error.details ?? []) as { message: string }[];
    throw badRequest(`wrong HTTP URL specified: the address ${first?.message ?? "is wrong"}`);
  }
  const answer = await fetching(ctx).send(url, { method: "GET" }, purpose);
  if (answer.outcome === "answer_too_large") throw fail("file_too_large", { details: { limit_bytes: FETCH_BYTES } });
  if (answer.outcome === "overloaded") throw fail("overloaded", { retryAfter: 5 });
  if (answer.outcome !== "answered" || answer.status !== 200) throw badRequest("failed to get HTTP URL content");
  return { name: nameIn(url) ?? name, bytes: new Uint8Array(answer.body) };
}

/** Returns the name at the end of an address; null: there is none. */
function nameIn(url: string): string | null {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  try {
    return decodeURIComponent(last).slice(-NAME_MAX) || null;
  } catch {
    return null;
  }
}
