/**
 * Looks at a file's bytes as they arrive and finds out whether they are text: valid UTF-8 without NUL and other control
 * characters that no text has. Costs almost nothing once they are not.
 */
export class TextProbe {
  #decoder: TextDecoder | null = new TextDecoder("utf-8", { fatal: true });

  add(piece: Uint8Array): void {
    if (this.#decoder === null) return;
    try {
      if (hasControl(piece)) this.#decoder = null;
      else this.#decoder.decode(piece, { stream: true });
    } catch {
      this.#decoder = null;
    }
  }

  /** Call once, after the last piece. */
  isText(): boolean {
    try {
      this.#decoder?.decode();
    } catch {
      return false;
    }
    return this.#decoder !== null;
  }
}

/** Tab, line feed, form feed, carriage return and escape (of colored logs) occur in texts. */
const isControl = (byte: number): boolean =>
  byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;

function hasControl(piece: Uint8Array): boolean {
  for (let at = 0; at < piece.length; at++) if (isControl(piece[at] ?? 0)) return true;
  return false;
}
