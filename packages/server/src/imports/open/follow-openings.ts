import type { AppContext } from "../../context.ts";
import { onCommit } from "../../event-log/events.ts";
import { extensionsOf } from "../../event-log/extensions.ts";
import { receiveGap } from "../../event-log/feed/feed.ts";
import { onControl } from "../../realtime/control/control.ts";
import { channelTopic } from "../../realtime/topics.ts";
import { madeBy } from "../imports.store.ts";

/**
 * Has this server look at the channels of an import when it is opened or undone: the search indexes their messages, and
 * the feeds of those that it has extended tell their readers.
 */
export function followOpenings(ctx: AppContext): void {
  onControl(ctx, "import_opened", async (importId) => {
    const extended = new Set((await extensionsOf(ctx.db, importId)).map(({ channel_id }) => channel_id));
    const channels = [...(await madeBy(ctx.db, importId, "channel")), ...extended];
    for (const listener of onCommit.of(ctx)) for (const channelId of channels) listener(channelId);
    for (const channelId of extended) receiveGap(ctx, channelTopic(channelId), null);
  });
}
