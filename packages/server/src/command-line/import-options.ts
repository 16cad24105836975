import { readFile } from "node:fs/promises";
import { accountNamed } from "../accounts/account-named.ts";
import { systemClock } from "../clock.ts";
import type { AppContext } from "../context.ts";
import { ChoiceError, channelChoice } from "../imports/channel-choice.ts";
import type { Choice } from "../imports/chosen-part.ts";
import { type PeopleMap, PeopleMapError, readPeopleMap } from "../imports/people-map.ts";
import type { SourceOptions } from "../imports/sources/format.ts";
import { CommandError, fileAt, type Invocation, UsageError } from "./command.ts";

const GIB = 1024 ** 3;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Returns which part of the export the command takes. */
export const choiceOf = (call: Invocation, { skipped, choices }: PeopleMap): Choice => ({
  ...partOf(call),
  ...filesOf(call.values["with-files"]),
  late: lateOf(call.values.late),
  skipped,
  people: choices,
});

/** Returns which channels and times a command takes. */
export function partOf({ values }: Invocation): Pick<Choice, "channels" | "since"> {
  const { channels, since } = values;
  try {
    return {
      channels: channelChoice(typeof channels === "string" ? channels : undefined),
      since: typeof since === "string" ? timeOf(since) : null,
    };
  } catch (error) {
    if (error instanceof ChoiceError) throw new UsageError(`--channels: ${error.message}`);
    throw error;
  }
}

function filesOf(word: string | boolean | undefined): Pick<Choice, "withFiles" | "fetchesFiles"> {
  if (word !== undefined && word !== "local" && word !== "fetch")
    throw new UsageError("--with-files takes local (the default) or fetch.");
  return { withFiles: word !== undefined, fetchesFiles: word === "fetch" };
}

function lateOf(word: string | boolean | undefined): Choice["late"] {
  if (word !== undefined && word !== "channel" && word !== "skip")
    throw new UsageError("--late takes channel (the default) or skip.");
  return word ?? "channel";
}

/** A day begins at midnight UTC. */
function timeOf(text: string): number {
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  // February 31 would be a day of March.
  const isDay =
    !Number.isNaN(time) && new Date(`${text.slice(0, 10)}T00:00Z`).toISOString().startsWith(text.slice(0, 10));
  if (!isDay) throw new UsageError("--since takes a date, as in 2024-03-01, or 2024-03-01T09:00Z.");
  return time;
}

/** Returns the bytes to which an archive may unpack (`--max-size`); null: as many as its size suggests. */
export function maxBytesOf({ values }: Invocation): number | null {
  const size = values["max-size"];
  if (typeof size !== "string") return null;
  if (!/^[1-9]\d{0,5}$/.test(size)) throw new UsageError("--max-size takes a number of GiB, at least 1.");
  return Number(size) * GIB;
}

/** Returns how the export is read. Errors: `UsageError`. */
export function sourceOptionsOf({ values }: Invocation): SourceOptions {
  const { open, zone = "UTC" } = values;
  if (typeof zone !== "string" || !isZone(zone))
    throw new UsageError("--zone takes the name of a time zone, as in Europe/Berlin.");
  const names = typeof open === "string" ? open.split(",").map((name) => name.trim().replace(/^#/, "")) : [];
  return { clock: systemClock, zone, open: names.includes("all") ? "all" : new Set(names.filter(Boolean)) };
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** What is said of nobody. */
export const NOBODY: PeopleMap = { choices: new Map(), skipped: new Set(), used: new Map() };

/** Returns what `--users` says of people. `ctx`: null for a dry run, which knows no accounts and uses none. */
export async function peopleOf(call: Invocation, ctx: AppContext | null): Promise<PeopleMap> {
  const { users } = call.values;
  if (typeof users !== "string") return NOBODY;
  const path = fileAt(call, users);
  try {
    const text = await readFile(path, "utf8");
    return await readPeopleMap(text, async (username) =>
      ctx === null ? { id: 0, username, adminLevel: null } : accountNamed(ctx, username),
    );
  } catch (error) {
    if (error instanceof PeopleMapError) throw new CommandError(error.message);
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new CommandError(`There is no file ${path}.`);
    throw error;
  }
}

/** Returns the account of `--as-owner`; null without it. */
export async function ownerOf({ values }: Invocation, ctx: AppContext): Promise<number | null> {
  const name = values["as-owner"];
  if (typeof name !== "string") return null;
  const account = await accountNamed(ctx, name);
  if (account === null) throw new CommandError(`There is no account ${JSON.stringify(name)} for --as-owner.`);
  return account.id;
}
