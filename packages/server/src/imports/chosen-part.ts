import type { Millis } from "../db/columns.ts";
import { type ChannelChoice, checkChoice, isChosen } from "./channel-choice.ts";
import type { Item, OpenSource, SourceChannel, SourceMessage } from "./source.ts";

/** The part of an export that is imported. */
export interface Choice {
  readonly channels: ChannelChoice;
  /** Older messages are left out; null: none. */
  readonly since: Millis | null;
  /** The files whose bytes are in the export are taken, too. */
  readonly withFiles: boolean;
}

/** Reasons for leaving something out that the person at the terminal gave: nothing is wrong with it. */
export const CHOSEN_REASONS: ReadonlySet<string> = new Set(["not_chosen", "before_since", "duplicate"]);

/** Returns an export of which only a part is seen. The rest is left out by the reasons above. */
export function chosenPart(source: OpenSource, { channels, since }: Omit<Choice, "withFiles">): OpenSource {
  const parts: Pick<OpenSource, "channels" | "messages"> = {
    channels: () => chosenChannels(source, channels),
    messages: (ids) => (since === null ? source.messages(ids) : messagesSince(source.messages(ids), since)),
  };
  return {
    ...parts,
    format: source.format,
    workspace: source.workspace,
    fingerprint: source.fingerprint,
    recordBytes: source.recordBytes,
    lacks: source.lacks,
    users: () => source.users(),
    strangers: () => source.strangers(),
    get replacedCharacters() {
      return source.replacedCharacters;
    },
    file: (path) => source.file(path),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

async function* chosenChannels(source: OpenSource, choice: ChannelChoice): AsyncGenerator<Item<SourceChannel>> {
  const known = new Set<string>();
  for await (const item of source.channels()) {
    if ("leftOut" in item) {
      yield item;
      continue;
    }
    const { id, name, kind } = item.item;
    known.add(id).add(name);
    if (isChosen(choice, item.item)) yield item;
    else {
      const isTalk = kind === "direct" || kind === "group";
      yield { leftOut: { kind: isTalk ? "direct" : "channel", reason: "not_chosen", example: id } };
    }
  }
  checkChoice(choice, known);
}

async function* messagesSince(
  items: AsyncIterable<Item<SourceMessage>>,
  since: Millis,
): AsyncGenerator<Item<SourceMessage>> {
  for await (const item of items) {
    if ("leftOut" in item || item.item.at >= since) yield item;
    else yield { leftOut: { kind: "message", reason: "before_since", example: item.item.id } };
  }
}
