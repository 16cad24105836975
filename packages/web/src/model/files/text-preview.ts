/** Bytes that are read of a text at first, and at most. */
export const TEXT_START = 4 * 1024;
export const TEXT_MAX = 128 * 1024;

/** Returns the text of a file's first bytes. A character that the cut has broken is left out. */
export function decodeStart(bytes: Uint8Array, isWhole: boolean): string {
  const text = new TextDecoder("utf-8").decode(bytes, { stream: !isWhole });
  return text.replaceAll(/\r\n?/g, "\n").replaceAll("\0", "\uFFFD");
}

/** Reads the first bytes of a file; the rest of a longer answer is not loaded. Rejects if there is no answer. */
export async function readStart(url: string, count: number, signal: AbortSignal): Promise<Uint8Array> {
  const response = await fetch(url, { headers: { range: `bytes=0-${count - 1}` }, signal });
  if (!response.ok || response.body === null) throw new Error(`The file was answered with ${response.status}.`);
  const reader = response.body.getReader();
  const all = new Uint8Array(count);
  let length = 0;
  while (length < count) {
    const { done, value } = await reader.read();
    if (done) break;
    const part = value.subarray(0, count - length);
    all.set(part, length);
    length += part.length;
  }
  // A server that does not know ranges would go on.
  await reader.cancel();
  return all.subarray(0, length);
}
