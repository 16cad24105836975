/**
 * SHA-256 and HMAC-SHA256 (FIPS 180-4, RFC 2104). Browsers provide them only to pages from https and localhost, but a
 * split must be checkable anywhere. Nothing hashed here is secret.
 */
const BLOCK = 64;
const primes = [...primesUpTo(312)];
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) >>> 0;
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const ROUND = primes.map((prime) => fraction(Math.cbrt(prime)));

/** The first 64 primes are below 312. */
function* primesUpTo(limit: number): Generator<number> {
  const found: number[] = [];
  for (let candidate = 2; candidate < limit; candidate += 1) {
    if (found.some((prime) => candidate % prime === 0)) continue;
    found.push(candidate);
    yield candidate;
  }
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

export function sha256(input: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((input.length + 9) / BLOCK) * BLOCK);
  padded.set(input);
  padded[input.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(input.length) * 8n);
  const state = Uint32Array.from(START);
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, view, at);
  const output = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) output.setUint32(index * 4, word);
  return new Uint8Array(output.buffer);
}

function compress(state: Uint32Array, view: DataView, at: number): void {
  const words = new Uint32Array(BLOCK);
  const word = (index: number): number => words[index] ?? 0;
  for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(at + t * 4);
  for (let t = 16; t < BLOCK; t += 1) {
    const s0 = turned(word(t - 15), 7) ^ turned(word(t - 15), 18) ^ (word(t - 15) >>> 3);
    const s1 = turned(word(t - 2), 17) ^ turned(word(t - 2), 19) ^ (word(t - 2) >>> 10);
    words[t] = word(t - 16) + s0 + word(t - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < BLOCK; t += 1) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (ROUND[t] ?? 0) + word(t)) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((sum, index) => {
    state[index] = (state[index] ?? 0) + sum;
  });
}

export function hmacSha256(key: Uint8Array, input: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const keyed = (mask: number, rest: Uint8Array) =>
    sha256(Uint8Array.from([...block.map((byte) => byte ^ mask), ...rest]));
  return keyed(0x5c, keyed(0x36, input));
}
