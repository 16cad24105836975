import { type AppContext, perServer } from "../context.ts";
import { WebhookSender } from "./outgoing/webhook-sender.ts";

export const webhookSender = perServer((ctx): WebhookSender => new WebhookSender(ctx));

/** Starts to call webhooks, until the server closes. */
export const startWebhooks = (ctx: AppContext): Promise<void> => webhookSender(ctx).start();
