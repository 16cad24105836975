/**
 * Generates the messages that are searched. Their words follow Zipf's law: some occur in a third of all messages, most
 * in a handful. Every run generates the same messages.
 */

export const CHANNELS = 100;
const VOCABULARY = 50_000;
const SYLLABLES =
  "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra re ri ro ru sa se si so su ta te ti to tu".split(
    " ",
  );

export interface CorpusMessage {
  /** 0 is the busiest channel, 99 the quietest. */
  channel: number;
  content: string;
}

/** Returns the word of a rank; 0 is the most common. */
export function wordOfRank(rank: number): string {
  let word = "";
  for (let rest = rank; ; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length];
    if (rest < SYLLABLES.length) return word;
  }
}

/** Yields the given number of messages, oldest first. */
export function* corpus(count: number): Generator<CorpusMessage> {
  const random = xorshift(20_261_121);
  const words = Array.from({ length: VOCABULARY }, (_, rank) => wordOfRank(rank));
  const shares = cumulativeShares();
  for (let i = 0; i < count; i += 1) {
    const length = 3 + Math.floor(random() * random() * 30);
    const content = Array.from({ length }, () => words[rankAt(shares, random())]).join(" ");
    yield { channel: Math.floor(CHANNELS * random() ** 3), content };
  }
}

/** Returns the cumulative shares of the words (Zipf–Mandelbrot), by rank. */
function cumulativeShares(): Float64Array {
  const shares = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank += 1) {
    sum += 1 / (rank + 2.7);
    shares[rank] = sum;
  }
  return shares.map((share) => share / sum);
}

function rankAt(shares: Float64Array, at: number): number {
  let [low, high] = [0, shares.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shares[middle] ?? 1) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function xorshift(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
