import type { Channel } from "@parley/protocol/models";
import { type ChannelList, isLocked } from "../model/channel-list.ts";
import type { ChannelSession } from "../model/channel-session.ts";
import { twoFrames } from "../state/frame-throttle.ts";
import { pause } from "../state/pause.ts";
import type { Route } from "../state/route.ts";
import { type Store, until } from "../state/store.ts";

/** How long what the first view does not show waits for the first messages. */
const WAIT_MS = 3_000;

/** The parts of the page that its first view needs. */
interface Parts {
  readonly channels: ChannelList;
  readonly route: Store<Route>;
  channelAt(route: Route): Channel | undefined;
  channelSession(channelId: number): ChannelSession;
}

/** Resolves when the list of channels and the messages in the address have been drawn, or could not be read. */
export async function firstView(parley: Parts): Promise<void> {
  await until(parley.channels.view, ({ state }) => state !== "loading");
  const channel = parley.channelAt(parley.route.get());
  if (channel === undefined || isLocked(channel)) return;
  const { view } = parley.channelSession(channel.id);
  const drawn = until(view, ({ state }) => state !== "loading").then(twoFrames);
  await Promise.race([drawn, pause(WAIT_MS)]);
}
