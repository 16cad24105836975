import type { AppContext } from "../../context.ts";
import { onCommit } from "../../event-log/events.ts";
import { onControl } from "../../realtime/control/control.ts";
import { madeBy } from "../imports.store.ts";

/** Has this server's consumers look at the channels of an import when it is opened: the search indexes their messages. */
export function followOpenings(ctx: AppContext): void {
  onControl(ctx, "import_opened", async (importId) => {
    const channels = await madeBy(ctx.db, importId, "channel");
    for (const listener of onCommit.of(ctx)) for (const channelId of channels) listener(channelId);
  });
}
