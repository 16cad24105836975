import { createHash } from "node:crypto";
import type { Millis } from "../db/columns.ts";
import { type ChannelChoice, checkChoice, isChosen } from "./channel-choice.ts";
import type { LateMode } from "./late/late.store.ts";
import type { Item, LeftOut, OpenSource, SourceChannel, SourceMessage, SourceUser } from "./source.ts";

/** The part of an export that is imported. */
export interface Choice {
  readonly channels: ChannelChoice;
  /** Older messages are left out; null: none. */
  readonly since: Millis | null;
  /** The files whose bytes are in the export are taken, too. */
  readonly withFiles: boolean;
  /** Files of which the export has only links are fetched. */
  readonly fetchesFiles: boolean;
  /** The fate of messages that cannot be added to channels that are here (`--late`). */
  readonly late: LateMode;
  /** People who are left out with all that they wrote, by their ids in the source (`--users`, action `skip`). */
  readonly skipped: ReadonlySet<string>;
  /** What becomes of other people, by their ids in the source. */
  readonly people: ReadonlyMap<string, unknown>;
}

/**
 * Reasons for leaving something out that are no sign of a damaged export. The person at the terminal chose all but
 * `duplicate`: an equal message is taken already, so nothing is lost with the second.
 */
export const CHOSEN_REASONS: ReadonlySet<string> = new Set(["not_chosen", "before_since", "duplicate"]);

/**
 * Returns an export of which only a part is seen. The rest is left out by the reasons above. Another choice has another
 * fingerprint, because what was written of one cannot go on with the other.
 */
export function chosenPart(source: OpenSource, choice: Choice): OpenSource {
  const emoji = source.emoji?.bind(source);
  return {
    ...(emoji === undefined ? {} : { emoji }),
    ...(source.hasUniqueIds === undefined ? {} : { hasUniqueIds: source.hasUniqueIds }),
    users: () => chosenUsers(source.users(), choice),
    channels: () => chosenChannels(source, choice.channels),
    messages: (ids) => chosenMessages(source.messages(ids), choice),
    strangers: () => Iterator.from(source.strangers()).filter(({ id }) => !choice.skipped.has(id)),
    format: source.format,
    workspace: source.workspace,
    fingerprint: fingerprintOf(source, choice),
    recordBytes: source.recordBytes,
    lacks: source.lacks,
    get replacedCharacters() {
      return source.replacedCharacters;
    },
    file: (path) => source.file(path),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

function fingerprintOf({ fingerprint }: OpenSource, choice: Choice): string {
  const { channels, since, withFiles, fetchesFiles, skipped, people, late } = choice;
  const { words, names, without, slugs } = channels;
  const sets = [words, names, without, skipped].map((set) => [...set].sort());
  const chosen = [...sets, [...slugs].sort(), [...people].sort(), since, withFiles, ...(fetchesFiles ? ["fetch"] : [])];
  // Only what differs from the default, so that imports of earlier releases are known again.
  if (late !== "channel") chosen.push(late);
  return createHash("sha256")
    .update(JSON.stringify([fingerprint, chosen]))
    .digest("hex");
}

const notChosen = (kind: LeftOut["kind"], example: string): { leftOut: LeftOut } => ({
  leftOut: { kind, reason: "not_chosen", example },
});

async function* chosenUsers(
  items: AsyncIterable<Item<SourceUser>>,
  { skipped }: Choice,
): AsyncGenerator<Item<SourceUser>> {
  for await (const each of items)
    yield "item" in each && skipped.has(each.item.id) ? notChosen("user", each.item.id) : each;
}

async function* chosenChannels(source: OpenSource, choice: ChannelChoice): AsyncGenerator<Item<SourceChannel>> {
  const known = new Set<string>();
  for await (const each of source.channels()) {
    if ("leftOut" in each) {
      yield each;
      continue;
    }
    const { id, name, kind } = each.item;
    known.add(id).add(name);
    const isTalk = kind === "direct" || kind === "group";
    yield isChosen(choice, each.item) ? each : notChosen(isTalk ? "direct" : "channel", id);
  }
  checkChoice(choice, known);
}

async function* chosenMessages(
  items: AsyncIterable<Item<SourceMessage>>,
  { since, skipped }: Choice,
): AsyncGenerator<Item<SourceMessage>> {
  for await (const each of items) {
    if ("leftOut" in each) yield each;
    else if (since !== null && each.item.at < since)
      yield { leftOut: { kind: "message", reason: "before_since", example: each.item.id } };
    else yield skipped.has(each.item.senderId ?? "") ? notChosen("message", each.item.id) : each;
  }
}
