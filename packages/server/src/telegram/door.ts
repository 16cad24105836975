import { authenticateKey } from "../agents/keys/keys.ts";
import { ConcurrencyLimiter } from "../base/concurrency-limiter.ts";
import { type AppContext, perServer } from "../context.ts";
import { AppError, fail } from "../errors.ts";
import { toAppError } from "../http/answers/respond.ts";
import { decodeText, parseJson } from "../http/body/body.ts";
import type { AgentIdentity } from "../http/identity.ts";
import type { OuterCall } from "../http/inner-route.ts";
import type { Door } from "../http/route.ts";
import { parseAddress } from "./address.ts";
import { botOf } from "./bots.ts";
import type { TelegramCall } from "./call.ts";
import { Fields, fileBytes, readFields } from "./fields.ts";
import { METHODS, UNAVAILABLE } from "./methods/catalog.ts";
import { download } from "./methods/files.ts";
import { refusalOf, refusalResponse } from "./refusals.ts";
import { badRequest, TelegramError } from "./telegram-error.ts";
import { type TelegramRoutes, telegramRoutesOf } from "./telegram-routes.ts";

const CROSS_ORIGIN = [
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-expose-headers",
];

/** Forms with files that are held in memory at a time. */
const forms = perServer(() => new ConcurrencyLimiter({ concurrency: 4, queueMax: 100, retryAfter: 2 }));

/** The differences from REST: the key is in the address, and errors have another shape. */
export const telegramDoor: Door = {
  async identify(ctx, request) {
    const address = ctx.config.telegram ? parseAddress(request.url) : null;
    if (address === null) throw fail("not_found");
    if (request.method === "HEAD") throw fail("method_not_allowed");
    if (address === "wrong_token") throw fail("invalid_api_key");
    const caller = await authenticateKey(ctx, `Bearer ${address.apiKey}`);
    if ((await botOf(ctx, address.botId))?.agentId !== caller.agentId) throw fail("invalid_api_key");
    return caller;
  },
  refusal: (error) => refusalResponse(refusalOf(error)),
  leave(headers) {
    for (const name of CROSS_ORIGIN) headers.delete(name);
    headers.set("cache-control", "no-store");
    // The key is in the address, which must not reach another server.
    headers.set("referrer-policy", "no-referrer");
  },
};

/** A request that has passed the pipeline. */
export interface DoorRequest extends OuterCall {
  readonly caller: AgentIdentity;
  readonly routes: TelegramRoutes;
}

/** Answers a request under `/telegram`: a method, or the bytes of a file. */
export async function answer(outer: DoorRequest): Promise<Response> {
  const { ctx, request, requestId } = outer;
  const address = parseAddress(request.url);
  if (address === null || address === "wrong_token") throw fail("not_found");
  try {
    const bot = await botOf(ctx, address.botId);
    if (bot === null) throw fail("invalid_api_key");
    const call = { ...outer, bot, signal: request.signal };
    if (address.kind === "method") return await perform(call, address.rest);
    if (request.method !== "GET") throw fail("method_not_allowed");
    return await download({ ...call, fields: await readFields(request, 0) }, address.rest);
  } catch (error) {
    if (error instanceof TelegramError) return refusalResponse(error);
    return refusalResponse(refusalOf(toAppError(ctx, error, requestId), address.rest));
  }
}

async function perform(outer: Omit<TelegramCall, "fields">, name: string): Promise<Response> {
  const method = METHODS.get(name);
  const other = UNAVAILABLE.get(name);
  if (method === undefined && other !== undefined) throw badRequest(`method is not available on this server: ${other}`);
  if (method === undefined) throw new TelegramError(404, "Not Found: method not found");
  const act = async () => {
    const fields = await readFields(outer.request, fileBytes(outer.ctx));
    const result = await method({ ...outer, fields });
    const ignored = fields.ignored();
    return Response.json({ ok: true, result }, ignored === null ? {} : { headers: { "x-ignored": ignored } });
  };
  const isForm = outer.request.headers.get("content-type")?.startsWith("multipart/") === true;
  return isForm && name !== "getupdates" ? forms(outer.ctx).run(act) : act();
}

/**
 * Carries out the call that a bot put into its answer to an update: `{method, …}`. What is wrong with it is only logged,
 * as on Telegram: the bot does not learn its result.
 */
export async function performAnswer(
  ctx: AppContext,
  { bot, caller }: Pick<TelegramCall, "bot" | "caller">,
  body: Uint8Array,
): Promise<void> {
  const fields = answeredFields(body);
  const method = METHODS.get(fields?.text("method")?.toLowerCase() ?? "");
  if (fields === null || method === undefined) return;
  const request = new Request("http://telegram.invalid/");
  const outer = { ctx, caller, address: "127.0.0.1", requestId: "webhook", request, routes: telegramRoutesOf(ctx) };
  try {
    await method({ ...outer, bot, fields, signal: request.signal });
  } catch (error) {
    if (!(error instanceof TelegramError) && !(error instanceof AppError)) throw error;
    ctx.log.debug({ err: error, agentId: caller.agentId }, "the call in a bot's answer was refused");
  }
}

/** Reads the fields of an answer; null if it is no JSON object. */
function answeredFields(body: Uint8Array): Fields | null {
  try {
    const given = parseJson(decodeText(body));
    const isObject = given !== null && typeof given === "object" && !Array.isArray(given);
    return isObject ? new Fields(new Map(Object.entries(given))) : null;
  } catch (error) {
    // Most answers are a word or nothing.
    if (error instanceof AppError) return null;
    throw error;
  }
}
