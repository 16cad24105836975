import { type SourceChannel, SourceError } from "./source.ts";

const WORDS = ["public", "private", "direct", "all"] as const;
type Word = (typeof WORDS)[number];
const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** The words of a choice of channels are not understood. The message says which. */
export class ChoiceError extends Error {}

/** Which channels of an export are taken, and under which slugs (`--channels`, protocol §14.0). */
export interface ChannelChoice {
  readonly words: ReadonlySet<Word>;
  /** Names and ids that are taken besides. */
  readonly names: ReadonlySet<string>;
  readonly without: ReadonlySet<string>;
  /** The wanted slug of a name. */
  readonly slugs: ReadonlyMap<string, string>;
}

/**
 * Reads a list such as `public,-random,secret,ops=operations`. A name chooses one channel, `-name` leaves one out, and
 * `name=slug` chooses one and renames it. Only what leaves out means: of the public ones. Throws `ChoiceError`.
 */
export function channelChoice(list: string | undefined): ChannelChoice {
  const [words, names, without] = [new Set<Word>(), new Set<string>(), new Set<string>()];
  const slugs = new Map<string, string>();
  for (const item of (list ?? "").split(",").map((each) => each.trim().replace(/^(-?)#/, "$1"))) {
    const word = WORDS.find((each) => each === item);
    const [name = "", slug] = item.split("=");
    if (item === "") continue;
    if (word !== undefined) words.add(word);
    else if (item.startsWith("-")) without.add(item.slice(1));
    else names.add(name);
    if (slug === undefined) continue;
    if (!SLUG.test(slug) || item.startsWith("-")) throw new ChoiceError(`"${item}" gives a channel no valid slug.`);
    slugs.set(name, slug);
  }
  if (words.size === 0 && names.size === 0) words.add("public");
  return { words, names, without, slugs };
}

type NamedChannel = Pick<SourceChannel, "id" | "name" | "kind">;

/** True if the channel is taken. Conversations of several people count as direct ones. */
export function isChosen({ words, names, without }: ChannelChoice, channel: NamedChannel): boolean {
  const isIn = (set: ReadonlySet<string>): boolean =>
    set.has(channel.id) || (channel.name !== "" && set.has(channel.name));
  if (isIn(without)) return false;
  const kind = channel.kind === "group" ? "direct" : channel.kind;
  return words.has("all") || words.has(kind) || isIn(names);
}

/** Returns the slug that the choice gives a channel; undefined for that of its name. */
export const chosenSlug = ({ slugs }: ChannelChoice, { id, name }: NamedChannel): string | undefined =>
  slugs.get(id) ?? slugs.get(name);

/** Throws a `SourceError` if the choice names a channel that `owner` does not have. */
export function checkChoice({ names, without }: ChannelChoice, known: ReadonlySet<string>, owner = "The export"): void {
  const missing = [...names, ...without].find((name) => !known.has(name));
  if (missing === undefined) return;
  throw new SourceError(`${owner} has no channel named ${JSON.stringify(missing)}. Check --channels.`);
}
