/** A set of places of a stage, of which a bit is kept for each: there may be millions. */
export class PlaceSet {
  readonly #bits: Uint8Array;

  /** `size`: the last place. */
  constructor(size: number) {
    this.#bits = new Uint8Array((size >> 3) + 1);
  }

  add(place: number): void {
    this.#bits[place >> 3] = (this.#bits[place >> 3] ?? 0) | (1 << (place & 7));
  }

  has(place: number): boolean {
    return ((this.#bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;
  }
}
