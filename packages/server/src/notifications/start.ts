import { type AppContext, perServer } from "../context.ts";
import { type Consumer, consumeMessages } from "../event-log/consumer.ts";
import { startTrimming } from "./list/trim.ts";
import { notifySpans } from "./making/make-notifications.ts";
import { startPromptMentions } from "./making/prompt-mentions.ts";
import { PURPOSE } from "./making/spans.store.ts";
import { Pusher } from "./push/pusher.ts";
import { visiblePages } from "./push/visible-pages.ts";
import { startFollowingReading } from "./reading/follow-reading.ts";

/** The typical delay of a notification. */
const EVERY_MS = 500;
const BATCH = 500;

/** Fills the lists in the background, outside the send path, once for each event. */
export const notificationsConsumer = perServer(
  (ctx): Consumer => consumeMessages(ctx, { purpose: PURPOSE, everyMs: EVERY_MS, batch: BATCH, handle: notifySpans }),
);

export const pusher = perServer((ctx): Pusher => new Pusher(ctx));

/** Starts filling the lists of notifications, and sending push messages, until the server closes. */
export function startNotifications(ctx: AppContext): void {
  notificationsConsumer(ctx);
  startPromptMentions(ctx);
  startFollowingReading(ctx);
  visiblePages(ctx).start();
  startTrimming(ctx);
  if (ctx.config.push) pusher(ctx).start();
}
