/** The kinds of problems: a promise that was broken, or a history that proves nothing. */
export const KINDS = {
  lost: "an acknowledged message is missing, or is not where its acknowledgement said",
  doubled: "a message is there twice",
  moved: "two clients saw different messages under one number",
  gap: "numbers are missing, or came out of order",
  order: "a message that was sent later has the lower number",
  stale: "a reader was not shown what was acknowledged or shown before it asked",
  ghost: "a message that was refused is there",
  key: "a key has two messages, or a new key was called known",
  resume: "a client that came back missed something without being told",
  revoked: "a client went on after its right had ended",
  money: "an amount does not add up",
  budget: "an agent has spent more than it may",
  inbox: "an agent was not told of a mention, or again after it had acknowledged it",
  history: "the history itself is wrong or incomplete, so that it proves nothing",
} as const;

export type Kind = keyof typeof KINDS;

export interface Problem {
  kind: Kind;
  /** Where it shows, counted from 1; 0: at the end. */
  line: number;
  text: string;
}

/** The first of each kind are kept; all are counted. */
const KEPT = 20;

/** Collects what is wrong. */
export class Problems {
  readonly found: Problem[] = [];
  readonly counts = new Map<Kind, number>();
  /** The line that is read. */
  line = 0;

  add(kind: Kind, text: string): void {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    if (count <= KEPT) this.found.push({ kind, line: this.line, text });
  }
}
