import { LRUCache } from "lru-cache";
import { perServer } from "../../context.ts";
import { type ControlKind, onControl, onControlLost } from "./control.ts";
import { settledCommits } from "./settled-commits.ts";

/**
 * The person or the place whose right may have ended: an account (`u5`, `a7`), a session (`s9`), a key (`k…`), a channel (`c3`), or a
 * member's place in a channel (`3:u5`).
 */
export type RightSubject = string;

/** Beyond this number the oldest counters are forgotten, and acts that are older than them decide again. */
const SUBJECTS_KEPT = 20_000;

/** The subjects of the messages that may take a right away. */
const SUBJECTS: Partial<Record<ControlKind, (subject: string) => RightSubject>> = {
  session_ended: (subject) => `s${subject}`,
  user_sessions_ended: (subject) => `u${Number.parseInt(subject, 10)}`,
  user_suspended: (subject) => `u${subject}`,
  user_changed: (subject) => `u${subject}`,
  key_revoked: (subject) => `k${subject}`,
  agent_changed: (subject) => `a${subject}`,
  channel_changed: (subject) => `c${subject}`,
  channel_deleted: (subject) => `c${subject}`,
  channel_closed: (subject) => `c${Number.parseInt(subject, 10)}`,
  membership_changed: (subject) => subject,
  access_ended: (subject) => subject.split(":", 2).join(":"),
};

/**
 * Counts the changes that may have ended a right, by subject. An act keeps the number at which it was decided; if none of
 * its subjects was touched since, it holds.
 */
class EndedRights {
  /** Rises with each change of any subject: the common case is that it is still the same. */
  version = 0;
  /** Acts that were decided before this number decide again: it is unknown what has changed. */
  #floor = 0;
  readonly #touched: LRUCache<RightSubject, number>;

  constructor() {
    const dispose = (at: number, _: RightSubject, reason: string) => {
      if (reason === "evict") this.#floor = Math.max(this.#floor, at);
    };
    this.#touched = new LRUCache({ max: SUBJECTS_KEPT, dispose });
  }

  touch(subject: RightSubject): void {
    this.version += 1;
    this.#touched.set(subject, this.version);
  }

  touchAll(): void {
    this.version += 1;
    this.#floor = this.version;
  }

  /** True if the subject was touched after that version. */
  isTouched(subject: RightSubject, since: number): boolean {
    return since < this.#floor || (this.#touched.peek(subject) ?? 0) > since;
  }
}

/** The changes that this node has heard of, its own and those of others. */
export const endedRights = perServer((ctx) => {
  const rights = new EndedRights();
  for (const [kind, subjectOf] of Object.entries(SUBJECTS) as [ControlKind, (subject: string) => RightSubject][])
    onControl(ctx, kind, (subject) => {
      rights.touch(subjectOf(subject));
      return settledCommits(ctx);
    });
  onControlLost(ctx, () => rights.touchAll());
  return rights;
});
