/** The numbers of people in a channel. Channels of large teams have many, and numbers need little memory. */
export class MemberList {
  #numbers = new Uint32Array(4);
  #length = 0;

  /** Adds a number; false if it was added last. The memberships of one person are in one record. */
  add(number: number): boolean {
    if (this.#length > 0 && this.#numbers[this.#length - 1] === number) return false;
    if (this.#length === this.#numbers.length) {
      const grown = new Uint32Array(2 * this.#length);
      grown.set(this.#numbers);
      this.#numbers = grown;
    }
    this.#numbers[this.#length] = number;
    this.#length += 1;
    return true;
  }

  [Symbol.iterator](): Iterator<number> {
    return this.#numbers.subarray(0, this.#length).values();
  }
}
