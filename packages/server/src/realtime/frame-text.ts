const [BEFORE_EVENT, BEFORE_DATA, AFTER_DATA] = ['{"event":"', '","data":', "}"] as const;

/**
 * The longest frame with several events, in UTF-16 units. uWebSockets gathers what a socket is sent in 16 KiB; longer
 * frames cost more for each event.
 */
const PACKED_MAX = 15_000;

/**
 * Returns the frame `{event, data}` around data that is already JSON text. Only the functions of this file know the
 * format of a frame.
 */
export function frameOf(event: string, dataJson: string): string {
  return BEFORE_EVENT + event + BEFORE_DATA + dataJson + AFTER_DATA;
}

/** Splits a frame made by `frameOf`, without parsing the data. */
export function frameParts(frame: string): { event: string; dataJson: string } {
  const end = frame.indexOf(BEFORE_DATA, BEFORE_EVENT.length);
  return {
    event: frame.slice(BEFORE_EVENT.length, end),
    dataJson: frame.slice(end + BEFORE_DATA.length, -AFTER_DATA.length),
  };
}

/**
 * Joins frames into few, each an array of events in their order. A frame that would be alone in its array stays as it
 * is.
 */
export function packFrames(frames: readonly string[], max = PACKED_MAX): string[] {
  const packed: string[] = [];
  let pack: string[] = [];
  let length = 0;
  const close = () => {
    const events = pack.join(",");
    packed.push(pack.length === 1 ? events : `[${events}]`);
  };
  for (const frame of frames) {
    // The length of all in an array: what it holds, a comma after each, the new one, and two brackets.
    if (pack.length > 0 && length + frame.length + 2 > max) {
      close();
      pack = [];
      length = 0;
    }
    pack.push(frame);
    length += frame.length + 1;
  }
  if (pack.length > 0) close();
  return packed;
}
