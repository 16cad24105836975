import { isLocked } from "../model/channel-list.ts";
import { twoFrames } from "../state/frame-throttle.ts";
import { pause } from "../state/pause.ts";
import { until } from "../state/store.ts";
import type { Parley } from "./parley.ts";

/** How long what the first view does not show waits for the first messages. */
const WAIT_MS = 3_000;

/** Resolves when the list of channels and the messages in the address have been drawn, or could not be read. */
export async function firstView(parley: Parley): Promise<void> {
  await until(parley.channels.view, ({ state }) => state !== "loading");
  const channel = parley.channelAt(parley.route.get());
  if (channel === undefined || isLocked(channel)) return;
  const { view } = parley.channelSession(channel.id);
  const drawn = until(view, ({ state }) => state !== "loading").then(twoFrames);
  await Promise.race([drawn, pause(WAIT_MS)]);
}
