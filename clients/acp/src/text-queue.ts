import type { StreamPiece } from "@parley/sdk";

const isStatus = (piece: StreamPiece | undefined): boolean => typeof piece === "object" && "status" in piece;

/** Pieces that one side adds and a stream reads, with at most one waiting reader. */
export class TextQueue implements AsyncIterable<StreamPiece> {
  #pieces: StreamPiece[] = [];
  #end: { error?: unknown } | null = null;
  #wake = () => {};

  push(piece: StreamPiece): void {
    const last = this.#pieces.at(-1);
    // A flood of small pieces is one piece, so that the queue is no longer than the text.
    if (typeof piece === "string" && typeof last === "string") this.#pieces[this.#pieces.length - 1] = last + piece;
    else if (isStatus(piece) && isStatus(last)) this.#pieces[this.#pieces.length - 1] = piece;
    else this.#pieces.push(piece);
    this.#wake();
  }

  /** Ends the pieces, or lets the reader fail. */
  end(failure: { error?: unknown } = {}): void {
    this.#end ??= failure;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StreamPiece, void> {
    for (;;) {
      const pieces = this.#pieces;
      this.#pieces = [];
      yield* pieces;
      if (this.#pieces.length > 0) continue;
      if (this.#end !== null) {
        if ("error" in this.#end) throw this.#end.error;
        return;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
