/** By how much the clocks of the server and of this device may differ. */
export const CLOCKS_MS = 60_000;
