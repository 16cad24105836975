const [BEFORE_EVENT, BEFORE_DATA, AFTER_DATA] = ['{"event":"', '","data":', "}"] as const;

/**
 * Returns the frame `{event, data}` around data that is already JSON text. Only this function and its inverse know the
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
