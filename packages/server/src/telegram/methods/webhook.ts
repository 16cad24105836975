import { AppError, fail } from "../../errors.ts";
import { assertScope } from "../../http/key-scopes.ts";
import type { Method, TelegramCall } from "../call.ts";
import { countQueue, newestItem } from "../telegram.store.ts";
import { badRequest } from "../telegram-error.ts";
import { allowedUpdates, chooseUpdates, kindsOfBot } from "../update-kinds.ts";
import { storeWebhook, webhookOf } from "../webhook.store.ts";
import { telegramOutgoing } from "../webhook-requests.ts";
import { acknowledge, queueOf } from "./get-updates.ts";

const SECRET = /^[A-Za-z0-9_-]{1,256}$/;
const CONNECTIONS = 1;

/** setWebhook: from now on updates are sent to this address, one at a time. An empty address removes it. */
export const setWebhook: Method = async (call) => {
  const { ctx, caller, bot, fields } = call;
  const url = fields.text("url");
  if (url === undefined) return deleteWebhook(call);
  assertMayHave(call);
  if (fields.raw("certificate") !== undefined || fields.file("certificate") !== undefined)
    throw badRequest("certificates of one's own are not available on this server");
  const secret = fields.text("secret_token") ?? null;
  if (secret !== null && !SECRET.test(secret)) throw badRequest("secret token contains unallowed characters");
  await check(call, url);
  await chooseUpdates(call);
  await storeWebhook(ctx.db, bot.id, { url, key: caller.keyId, secret });
  if (fields.flag("drop_pending_updates")) await drop(call);
  return true;
};

export const deleteWebhook: Method = async (call) => {
  assertScope(call.caller, "inbox");
  await storeWebhook(call.ctx.db, call.bot.id, null);
  if (call.fields.flag("drop_pending_updates")) await drop(call);
  return true;
};

export const getWebhookInfo: Method = async (call) => {
  assertScope(call.caller, "inbox");
  const webhook = await webhookOf(call.ctx.db, call.bot.id);
  const { error = null, errorAt = null } = webhook ?? {};
  return {
    url: webhook?.url ?? "",
    has_custom_certificate: false,
    pending_update_count: await countQueue(call.ctx.db, {
      ...queueOf(call),
      kinds: await kindsOfBot(call.ctx, call.bot),
    }),
    ...(webhook === null ? {} : { max_connections: CONNECTIONS }),
    ...(await allowedUpdates(call.ctx, call.bot)),
    ...(errorAt === null ? {} : { last_error_date: Math.floor(errorAt / 1_000), last_error_message: error }),
  };
};

/** As for the webhooks of Parley: what is sent is all that the agent may read, so a key with limits is not enough. */
function assertMayHave({ caller }: TelegramCall): void {
  assertScope(caller, "inbox");
  if (caller.limits !== undefined) throw fail("forbidden", { message: "A key with limits cannot set a webhook." });
}

async function check({ ctx, caller }: TelegramCall, url: string): Promise<void> {
  try {
    await telegramOutgoing(ctx).check(url, { kind: "webhook", owner: caller.key });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "invalid_url") throw error;
    const [first] = (error.details ?? []) as { message: string }[];
    throw badRequest(`bad webhook: the address ${first?.message ?? "is wrong"}`);
  }
}

async function drop(call: TelegramCall): Promise<void> {
  const queue = queueOf(call);
  await acknowledge(call, queue, (await newestItem(call.ctx.db, queue)) + 1);
}
