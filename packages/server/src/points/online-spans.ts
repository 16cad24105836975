/** A stretch of time in which a user was online, in monotonic milliseconds. */
export interface Span {
  readonly userId: number;
  /** What the wall clock was ahead of the monotonic one when it began. Kept, so that its pieces meet exactly. */
  ahead: number;
  /** What lies before is written already. */
  from: number;
  /** null: he still is. */
  until: number | null;
}

/** A part of a span that is to be written. */
export interface Piece {
  readonly span: Span;
  readonly from: number;
  readonly until: number;
}

/** When users were online on this node, as far as it is not written. Of one user no two spans overlap, and they stand in order. */
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

  /** What is to be written of a user, up to `now`. */
  piecesOf(userId: number, now: number): Piece[] {
    return (this.#byUser.get(userId) ?? []).map((span) => ({ span, from: span.from, until: span.until ?? now }));
  }

  /** Users of whom something is to be written, in order. */
  users(): number[] {
    return [...this.#byUser.keys()].sort((a, b) => a - b);
  }

  /** These pieces are written. Spans that went on meanwhile go on from there. */
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
