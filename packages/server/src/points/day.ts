const DAY_MS = 86_400_000;

/** The number of a UTC day: 0 is 1970-01-01. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);
