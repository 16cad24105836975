/** A period in which a user was online, in monotonic milliseconds. */
export interface Span {
  readonly userId: number;
  /** The wall clock minus the monotonic clock at the start of the span. Stored, so that its pieces meet exactly. */
  ahead: number;
  /** The start of the unwritten part. */
  from: number;
  /** Null while the user is online. */
  until: number | null;
}

/** A part of a span that is to be written. */
export interface Piece {
  readonly span: Span;
  readonly from: number;
  readonly until: number;
}

/** The unwritten online spans of this node's users. A user's spans do not overlap and are in order. */
export class OnlineSpans {
  readonly #byUser = new Map<number, Span[]>();

  begin(userId: number, at: number, ahead: number): void {
    const spans = this.#byUser.get(userId) ?? [];
    if (spans.at(-1)?.until === null) return;
    spans.push({ userId, ahead, from: at, until: null });
    this.#byUser.set(userId, spans);
  }

  end(userId: number, at: number): void {
    const last = this.#byUser.get(userId)?.at(-1);
    if (last?.until === null) last.until = Math.max(at, last.from);
  }

  /** Returns a user's unwritten pieces up to `now`. */
  piecesOf(userId: number, now: number): Piece[] {
    return (this.#byUser.get(userId) ?? []).map((span) => ({ span, from: span.from, until: span.until ?? now }));
  }

  /** Returns the users with unwritten time, in order of their ids. */
  users(): number[] {
    return [...this.#byUser.keys()].sort((a, b) => a - b);
  }

  /** Marks the pieces as written. Spans that are still open continue after them. */
  settle(pieces: readonly Piece[]): void {
    for (const { span, until } of pieces) {
      span.from = Math.max(span.from, until);
      if (span.until === null || span.until > span.from) continue;
      const left = (this.#byUser.get(span.userId) ?? []).filter((other) => other !== span);
      if (left.length > 0) this.#byUser.set(span.userId, left);
      else this.#byUser.delete(span.userId);
    }
  }
}
