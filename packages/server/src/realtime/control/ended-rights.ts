import { type AppContext, perServer } from "../../context.ts";
import { settledCommits } from "./confirmations.ts";
import { onControl, onControlLost } from "./control.ts";
import type { ControlKind, ControlSubjects } from "./control-subjects.ts";

/**
 * The person or the place whose right may have ended: an account (`u5`, `a7`), a session (`s9`), a key (`k…`), a channel (`c3`), or a
 * member's place in a channel (`3:u5`).
 */
export type RightSubject = string;

/** Beyond this number the oldest counters are forgotten, and acts that are older than them decide again. */
const SUBJECTS_KEPT = 20_000;

/** The subjects of the messages that may take a right away. */
const SUBJECTS: { [K in ControlKind]?: (subject: ControlSubjects[K]) => RightSubject } = {
  session_ended: (id) => `s${id}`,
  user_sessions_ended: ({ userId }) => `u${userId}`,
  user_suspended: (id) => `u${id}`,
  user_changed: (id) => `u${id}`,
  key_revoked: (id) => `k${id}`,
  agent_changed: (id) => `a${id}`,
  channel_changed: (id) => `c${id}`,
  channel_deleted: (id) => `c${id}`,
  channel_closed: ({ channelId }) => `c${channelId}`,
  membership_changed: ({ channelId, member }) => `${channelId}:${member}`,
  access_ended: ({ channelId, member }) => `${channelId}:${member}`,
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
  /** The version of each subject's last change, the oldest first. */
  readonly #touched = new Map<RightSubject, number>();

  touch(subject: RightSubject): void {
    this.version += 1;
    this.#touched.delete(subject);
    this.#touched.set(subject, this.version);
    if (this.#touched.size > SUBJECTS_KEPT) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const [[subject, version] = ["", 0]] = this.#touched;
    this.#touched.delete(subject);
    this.#floor = Math.max(this.#floor, version);
  }

  touchAll(): void {
    this.version += 1;
    this.#floor = this.version;
  }

  /** True if the subject was touched after that version. */
  isTouched(subject: RightSubject, since: number): boolean {
    return since < this.#floor || (this.#touched.get(subject) ?? 0) > since;
  }
}

function follow<K extends ControlKind>(ctx: AppContext, rights: EndedRights, kind: K): void {
  const subjectOf = SUBJECTS[kind];
  if (subjectOf === undefined) return;
  onControl(ctx, kind, (subject) => {
    rights.touch(subjectOf(subject));
    return settledCommits(ctx);
  });
}

/** The changes that this node has heard of, its own and those of others. */
export const endedRights = perServer((ctx) => {
  const rights = new EndedRights();
  for (const kind of Object.keys(SUBJECTS) as ControlKind[]) follow(ctx, rights, kind);
  onControlLost(ctx, () => rights.touchAll());
  return rights;
});
