import { readStored, writeStored } from "./local-storage.ts";

const NAME = "recent-channels";
const KEPT = 20;

/** Returns the ids of the channels that were open lately in this browser, the latest first. */
export function recentChannels(): number[] {
  return (readStored(NAME) ?? "")
    .split(",")
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
}

/** Remembers that the user has opened a channel. */
export function rememberChannel(channelId: number): void {
  const others = recentChannels().filter((id) => id !== channelId);
  writeStored(NAME, [channelId, ...others].slice(0, KEPT).join(","));
}

/** Forgets the channels, because the user has changed. */
export const forgetChannels = (): void => writeStored(NAME, null);
