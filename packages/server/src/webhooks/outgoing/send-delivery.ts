import { RATES } from "@parley/protocol/limits";
import { WebhookReply } from "@parley/protocol/webhooks";
import { sendAsAgent } from "../../agents/agents.service.ts";
import { ackInbox } from "../../agents/inbox/inbox.service.ts";
import type { AppContext } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import { matchesSchema } from "../../http/body/validate.ts";
import { rateLimited } from "../../http/rates.ts";
import { outgoing, type Purpose } from "../../outgoing/outgoing.ts";
import type { OutgoingResult } from "../../outgoing/send-request.ts";
import type { DeliveryRow } from "./deliveries.store.ts";
import { agentIdentity, contentOf, type DeliveryContent } from "./delivery-body.ts";
import { isHeld, mayStillSend } from "./hook-rights.ts";
import { findHook, type HookRow } from "./hooks.store.ts";
import { signedHeaders } from "./sign.ts";

const KEPT_BYTES = 1_024;
const OK_MIN = 200;
const OK_MAX = 299;
/** A reply that cannot be sent now is asked for again. */
const REPLY_FAILED = "reply_failed";

/** What is sent, and to whose share of the requests it counts. */
interface Attempt {
  hook: HookRow;
  delivery: DeliveryRow;
  purpose: Purpose;
}

/** The outcome of one try. */
export interface Tried {
  isDelivered: boolean;
  /** True if the event is gone, and there is nothing to send. */
  isGone: boolean;
  result: string;
  status: number | null;
  body: string | null;
  durationMs: number | null;
  retryAfter: string | undefined;
}

const NOTHING_TO_SEND: Tried = {
  isDelivered: false,
  isGone: true,
  result: "event_gone",
  status: null,
  body: null,
  durationMs: null,
  retryAfter: undefined,
};

/** Sends a delivery once, signed by every secret that is valid now, and does what the answer asks for. */
export async function sendDelivery(ctx: AppContext, { hook, delivery, purpose }: Attempt): Promise<Tried> {
  const content = await contentOf(ctx, hook, delivery);
  if (content === null) return NOTHING_TO_SEND;
  const now = ctx.clock.now();
  const old = hook.old_secret !== null && (hook.old_secret_until ?? 0) > now ? [hook.old_secret] : [];
  const secrets = [hook.secret, ...old];
  const headers = {
    "content-type": "application/json",
    ...signedHeaders(`msg_${delivery.id}`, { secrets, now, body: content.body }),
  };
  const started = ctx.clock.monotonic();
  const request = { method: "POST" as const, headers, body: Buffer.from(content.body) };
  const result = await slowly(ctx, "request", () => outgoing(ctx).send(hook.url, request, purpose));
  const tried = judged(result, Math.round(ctx.clock.monotonic() - started));
  if (!tried.isDelivered || result.outcome !== "answered") return tried;
  return (await replied(ctx, hook, { delivery, content, answer: result.body })) ?? tried;
}

function judged(result: OutgoingResult, durationMs: number): Tried {
  if (result.outcome !== "answered") {
    return { ...NOTHING_TO_SEND, isGone: false, result: result.outcome, durationMs };
  }
  const { status, headers, body } = result;
  return {
    isDelivered: status >= OK_MIN && status <= OK_MAX,
    isGone: false,
    result: "answered",
    status,
    body: beginningOf(body),
    durationMs,
    retryAfter: headers["retry-after"],
  };
}

/** Returns the first KiB as text that every database can store. */
const beginningOf = (body: Uint8Array): string =>
  Buffer.from(body.subarray(0, KEPT_BYTES)).toString("utf8").replaceAll("\0", "�");

interface Answered {
  delivery: DeliveryRow;
  content: DeliveryContent;
  answer: Uint8Array;
}

/**
 * Sends the reply in the answer to `inbox.new`, once however often the answer arrives, and acknowledges the item. Returns
 * undefined if there is none. It is a send of the agent: its rights, rates, guard and budgets decide.
 */
async function replied(ctx: AppContext, hook: HookRow, answered: Answered): Promise<Tried | undefined> {
  const { delivery, content, answer } = answered;
  const { item, isPending } = content;
  const reply = delivery.event === "inbox.new" && isPending ? replyIn(answer) : undefined;
  const message = item?.chat_message;
  if (reply === undefined || item === null || message == null || item.agent_name === null) return undefined;
  // The answer may have taken long.
  const now = await findHook(ctx.db, hook.id);
  if (now === undefined || now.status === "disabled") return undefined;
  if ((await isHeld(ctx, now)) || !(await mayStillSend(ctx, now))) return undefined;
  const caller = agentIdentity(hook.agent_id ?? 0);
  try {
    // The rate that a call of the route takes from.
    const taken = await ctx.limiter.take(RATES.agentSend, caller.key);
    if (!taken.allowed) throw rateLimited(taken);
    await sendAsAgent(ctx, caller, {
      channel_id: message.channel_id,
      message: reply,
      reply_to_id: message.id,
      thread_root_id: message.thread_root_id,
      client_msg_id: `webhook-${delivery.id}`,
      agent_name: item.agent_name,
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const failed = { ...NOTHING_TO_SEND, isGone: false, status: null };
    const isPassing = error.status >= 500 || error.code === "rate_limited" || error.code === "slow_mode";
    return isPassing
      ? { ...failed, result: REPLY_FAILED, body: error.code, retryAfter: String(error.retryAfter ?? 1) }
      : { ...failed, isDelivered: true, result: "reply_refused", body: error.code };
  }
  await ackInbox(ctx, caller, { item_ids: [item.item_id] });
  return undefined;
}

function replyIn(answer: Uint8Array): string | undefined {
  try {
    const body: unknown = JSON.parse(Buffer.from(answer).toString("utf8"));
    return matchesSchema(WebhookReply, body) && body.reply.isWellFormed() && !body.reply.includes("\0")
      ? body.reply
      : undefined;
  } catch {
    return undefined;
  }
}
