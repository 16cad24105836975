/** A range of a channel's durable seqs: above `after`, up to and including `upTo`. */
export interface Span {
  channelId: number;
  after: number;
  upTo: number;
}

/** Returns how many seqs the spans have. */
export const seqsIn = (spans: readonly Span[]): number => spans.reduce((sum, { after, upTo }) => sum + upTo - after, 0);

/** Splits spans with at least two seqs in two parts, in order: the first has half of the seqs, or one less. */
export function halves(spans: readonly Span[]): [first: Span[], second: Span[]] {
  const first: Span[] = [];
  const second: Span[] = [];
  let left = Math.floor(seqsIn(spans) / 2);
  for (const { channelId, after, upTo } of spans) {
    const middle = Math.min(upTo, after + left);
    left -= middle - after;
    if (middle > after) first.push({ channelId, after, upTo: middle });
    if (upTo > middle) second.push({ channelId, after: middle, upTo });
  }
  return [first, second];
}
