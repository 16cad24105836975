/** A key of 96 bits. */
export type Key = readonly [number, number, number];

/**
 * Numbers the keys that it is given, from 0, in the order in which they come. Typed arrays hold them, because ten million
 * entries of a `Map` need more than a gibibyte.
 */
export class HashTable {
  #count = 0;
  #slots = new Int32Array(1 << 12).fill(-1);
  #keys = new Uint32Array(3 << 11);

  get count(): number {
    return this.#count;
  }

  /** Returns the number of a key; -1: it is new, and was not added. */
  find(key: Key): number {
    return this.#slots[this.#slotOf(key)] ?? -1;
  }

  /** Returns the number of a key, which gets one if it is new. */
  add(key: Key): number {
    const slot = this.#slotOf(key);
    const known = this.#slots[slot] ?? -1;
    if (known !== -1) return known;
    if ((this.#count + 1) * 2 > this.#slots.length) {
      this.#grow();
      return this.add(key);
    }
    const number = this.#count++;
    this.#slots[slot] = number;
    this.#keys.set(key, number * 3);
    return number;
  }

  #slotOf([a, b, c]: Key): number {
    const mask = this.#slots.length - 1;
    for (let slot = mixed(a, b, c) & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] ?? -1;
      if (number === -1) return slot;
      const at = number * 3;
      if (this.#keys[at] === a && this.#keys[at + 1] === b && this.#keys[at + 2] === c) return slot;
    }
  }

  #grow(): void {
    const keys = new Uint32Array(this.#keys.length * 2);
    keys.set(this.#keys);
    this.#keys = keys;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (let number = 0; number < this.#count; number += 1) {
      const at = number * 3;
      const key: Key = [keys[at] ?? 0, keys[at + 1] ?? 0, keys[at + 2] ?? 0];
      this.#slots[this.#slotOf(key)] = number;
    }
  }
}

const mixed = (a: number, b: number, c: number): number => {
  const x = Math.imul(a ^ Math.imul(b, 0x9e3779b1) ^ Math.imul(c, 0x85ebca77), 0xc2b2ae3d);
  return (x ^ (x >>> 15)) >>> 0;
};

/** Two halves of a hash of 16 hexadecimal digits. */
export const halvesOf = (hash: string): [number, number] => [
  Number.parseInt(hash.slice(0, 8), 16),
  Number.parseInt(hash.slice(8, 16), 16),
];

/** A hash of a text of 64 bits (FNV-1a, twice), for keys. Two keys of one history have the same one hardly ever. */
export function hashOfText(text: string): [number, number] {
  let [a, b] = [0x811c9dc5, 0xcbf29ce4];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + 0x5bd1), 0x0100019d);
  }
  return [a >>> 0, b >>> 0];
}

/** A typed array that grows. Elements that were never set are 0. */
export class Column {
  #values: Float64Array | Uint32Array | Uint8Array;
  readonly #make: (length: number) => Float64Array | Uint32Array | Uint8Array;

  constructor(make: (length: number) => Float64Array | Uint32Array | Uint8Array) {
    this.#make = make;
    this.#values = make(1 << 10);
  }

  get(at: number): number {
    return this.#values[at] ?? 0;
  }

  set(at: number, value: number): void {
    if (at >= this.#values.length) {
      const grown = this.#make(Math.max(at + 1, this.#values.length * 2));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[at] = value;
  }
}

export const doubles = (): Column => new Column((length) => new Float64Array(length));
export const integers = (): Column => new Column((length) => new Uint32Array(length));
export const bytes = (): Column => new Column((length) => new Uint8Array(length));
