import type { LeftOut, SourceFile, SourceMessage } from "../source.ts";
import type { StageCounts, StagedLeftOut } from "../stage.ts";

const EXAMPLES_MAX = 5;
const EXAMPLE_LENGTH = 200;
/** Reasons come from the export, too (subtypes of Slack's notices); more than this many are counted as one. */
const REASONS_MAX = 300;

type Counted = "reactions" | "mentions" | "pins";
type Found = { count: number; examples: string[] };

function note(found: Found, example: string, times = 1): void {
  found.count += times;
  if (found.examples.length < EXAMPLES_MAX) found.examples.push(example.slice(0, EXAMPLE_LENGTH));
}

/** Counts what is staged, and what is left out. */
export class Tally {
  readonly #leftOut = new Map<string, Found & Pick<LeftOut, "kind" | "reason">>();
  readonly #filesHere: Found = { count: 0, examples: [] };
  readonly #filesLinked: Found = { count: 0, examples: [] };
  readonly #filesElsewhere: Found = { count: 0, examples: [] };
  readonly #byChannel = new Map<string, number>();
  #counts = { users: 0, agents: 0, replies: 0, reactions: 0, pins: 0, mentions: 0, moved: 0 };

  user(kind: "person" | "bot"): void {
    this.#counts[kind === "bot" ? "agents" : "users"] += 1;
  }

  channel(id: string): void {
    this.#byChannel.set(id, 0);
  }

  message(
    { channelId, threadId, files, isPinned }: SourceMessage,
    people: { reactions: number; mentions: number },
  ): void {
    this.#byChannel.set(channelId, (this.#byChannel.get(channelId) ?? 0) + 1);
    this.#counts.replies += threadId === null ? 0 : 1;
    this.#counts.pins += isPinned ? 1 : 0;
    for (const file of files) note(this.#filesAt(file), file.id);
    this.#counts.reactions += people.reactions;
    this.#counts.mentions += people.mentions;
  }

  #filesAt({ path, url }: SourceFile): Found {
    if (path !== null) return this.#filesHere;
    return url === null ? this.#filesElsewhere : this.#filesLinked;
  }

  /** Takes back what was counted before it was known to be left out. */
  less(what: Counted, times: number): void {
    this.#counts[what] -= times;
  }

  moved(times: number): void {
    this.#counts.moved += times;
  }

  leaveOut({ kind, reason, example, times = 1 }: LeftOut): void {
    const isKnown = this.#leftOut.has(`${kind} ${reason}`);
    const word = isKnown || this.#leftOut.size < REASONS_MAX ? reason : "other";
    const entry = this.#leftOut.get(`${kind} ${word}`) ?? { kind, reason: word, count: 0, examples: [] };
    note(entry, example, times);
    this.#leftOut.set(`${kind} ${word}`, entry);
  }

  get leftOut(): StagedLeftOut[] {
    return [...this.#leftOut.values()];
  }

  counts(replacedCharacters: number): StageCounts {
    const messages = [...this.#byChannel.values()].reduce((sum, count) => sum + count, 0);
    const byChannel = Object.fromEntries(this.#byChannel);
    const files = { filesHere: this.#filesHere, filesLinked: this.#filesLinked, filesElsewhere: this.#filesElsewhere };
    return { ...this.#counts, ...files, channels: this.#byChannel.size, messages, replacedCharacters, byChannel };
  }
}
