const KIB = 1_024;

/** Enough for numbers, balances, call results, fees and refusals. */
const SMALL = 64 * KIB;

/**
 * Size limits, in bytes, of answers that hold a block or anybody's transaction. A receipt of 3,000 logs has about 2
 * MiB.
 */
const LARGE: Readonly<Record<string, number>> = {
  eth_getTransactionByHash: 2_048 * KIB,
  eth_getTransactionReceipt: 2_048 * KIB,
  eth_getBlockByNumber: 2_048 * KIB,
  eth_getLogs: 1_024 * KIB,
  getTransaction: 512 * KIB,
};

/** No answer we request is nested nearly this deep. */
const DEPTH_MAX = 64;

const [QUOTE, BACKSLASH, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x7b, 0x5d, 0x7d];

/** Returns how many bytes the answer to a method may have: the event loop reads and parses each byte. */
export const answerMax = (method: string): number => LARGE[method] ?? SMALL;

/**
 * Returns whether JSON is nested deeper than any honest answer. Parsing brackets alone takes twenty times as long as
 * other text.
 */
export function isTooDeep(json: Uint8Array): boolean {
  let [depth, isText] = [0, false];
  for (let i = 0; i < json.length; i += 1) {
    const byte = json[i];
    if (isText) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > DEPTH_MAX) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}
