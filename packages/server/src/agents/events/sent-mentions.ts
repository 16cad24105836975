/** Mentions remembered per stream; an agent has at most so many pending under one name. */
const KEPT = 1_000;
const MESSAGE_ID = /"chat_message":\{"id":(\d+)/;

/** The mentions that a stream has sent last, so that a mention which is read again is not sent again. */
export class SentMentions {
  /** In order of sending: message ids, or whole frames that concern no message. */
  readonly #keys = new Set<string>();

  add(frame: string): void {
    this.#keys.add(keyOf(frame));
    if (this.#keys.size <= KEPT) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(frame: string): boolean {
    return this.#keys.has(keyOf(frame));
  }
}

/** A record begins with its id, before all text of users. */
const keyOf = (frame: string): string => MESSAGE_ID.exec(frame)?.[1] ?? frame;
