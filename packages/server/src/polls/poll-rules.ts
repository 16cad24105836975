import type { ErrorCode } from "@parley/protocol/errors";
import type { CreatePollBody } from "@parley/protocol/poll-calls";
import type { Poll } from "@parley/protocol/polls";
import { isBlank } from "../base/visible-text.ts";
import { type AppError, fail } from "../errors.ts";

/** The record in a poll's message, without its id, which is the message's. */
export type StoredPoll = Omit<Poll, "poll_id">;

/** The question and options of a poll, after the checks. */
export interface Asked {
  question: string;
  options: string[];
  multiple: boolean;
  anonymous: boolean;
}

/** Characters that end the line or turn the reading direction: a text must read as it is stored. */
const TURNING = /[\p{Bidi_Control}\p{Cc}\u2028\u2029]/u;

/**
 * Checks what the schema cannot say: no text is blank or has several lines, and no two options look the same. Errors:
 * `invalid_poll`.
 */
export function checkPoll({ question, options, multiple, anonymous }: Omit<CreatePollBody, "closes_in">): Asked {
  const asked = {
    question: checkText("question", question),
    options: options.map((option, at) => checkText(`options.${at}`, option)),
    multiple: multiple === true,
    anonymous: anonymous === true,
  };
  const looks = asked.options.map(lookOf);
  const twice = looks.findIndex((look, at) => looks.indexOf(look) !== at);
  if (twice !== -1) throw invalid(`options.${twice}`, "looks like another option");
  return asked;
}

function checkText(path: string, text: string): string {
  if (isBlank(text)) throw invalid(path, "has no visible character");
  if (TURNING.test(text)) throw invalid(path, "has line breaks, control characters or bidirectional characters");
  if (!text.isWellFormed()) throw invalid(path, "has half of a character");
  return text.trim();
}

const invalid = (path: string, message: string): AppError => fail("invalid_poll", { details: [{ path, message }] });

/** Returns what a reader sees of a text: spaces of all kinds are the same, and what is invisible does not count. */
const lookOf = (text: string): string =>
  text
    .normalize("NFKC")
    .replace(/[\s\u2800]+/gu, " ")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .trim();

/** Returns the text of a poll's message, for search, notifications and clients that do not know polls. */
export const contentOf = ({ question, options }: Asked): string =>
  [question, ...options.map((option) => `- ${option}`)].join("\n");

/** Returns a poll for which nobody has voted. */
export const newPoll = ({ question, options, multiple, anonymous }: Asked, closes_at: string | null): StoredPoll => ({
  question,
  options: options.map((text, at) => ({ option_id: at + 1, text, count: 0, voters: anonymous ? null : [] })),
  multiple,
  anonymous,
  total_voters: 0,
  my_votes: null,
  status: "open",
  closes_at,
});

/** Returns why nobody can vote in a poll at that time, in epoch milliseconds; null: they can. */
export const closedRefusal = ({ status, closes_at }: StoredPoll, now: number): ErrorCode | null =>
  status === "closed" || (closes_at !== null && Date.parse(closes_at) <= now) ? "poll_closed" : null;

/** Returns why a poll does not take these options; null: it does. */
export function choiceRefusal({ options, multiple }: StoredPoll, chosen: readonly number[]): AppError | null {
  const known = options.map(({ option_id }) => option_id);
  const message = `The poll has the options ${known.join(", ")}.`;
  if (chosen.some((id) => !known.includes(id)))
    return fail("unknown_option", { details: [{ path: "option_ids", message }] });
  return chosen.length > 1 && !multiple ? fail("one_option_only") : null;
}

/** A person's choice before and after a vote. */
export interface Change {
  userId: number;
  before: readonly number[];
  after: readonly number[];
}

/** Returns the poll with other sums. The names of voters stay as they are. */
export function counted(poll: StoredPoll, changes: readonly Change[]): StoredPoll {
  const sums = new Map(poll.options.map(({ option_id, count }) => [option_id, count]));
  let voters = poll.total_voters;
  for (const { before, after } of changes) {
    for (const id of before) sums.set(id, (sums.get(id) ?? 0) - 1);
    for (const id of after) sums.set(id, (sums.get(id) ?? 0) + 1);
    voters += Math.sign(after.length) - Math.sign(before.length);
  }
  const options = poll.options.map((option) => ({ ...option, count: sums.get(option.option_id) ?? 0 }));
  return { ...poll, options, total_voters: voters };
}
