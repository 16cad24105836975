import { useEffect } from "react";
import { useParley } from "../session/parley-context.ts";
import { readStored, writeStored } from "../state/local-storage.ts";

const NAME = "recent-channels";
const KEPT = 20;

/** Returns the ids of the channels that were open lately in this browser, the latest first. */
export function recentChannels(): number[] {
  return (readStored(NAME) ?? "")
    .split(",")
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
}

/** Remembers which channels the user opens. */
export function useRecentChannels(): void {
  const parley = useParley();
  useEffect(() => {
    const remember = () => {
      const channel = parley.channelAt(parley.route.get());
      if (channel === undefined) return;
      const others = recentChannels().filter((id) => id !== channel.id);
      writeStored(NAME, [channel.id, ...others].slice(0, KEPT).join(","));
    };
    remember();
    return parley.route.subscribe(remember);
  }, [parley]);
}
