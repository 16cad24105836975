import { ANSWER_MAX } from "@parley/protocol/card-limits";
import { isBlank } from "../../base/visible-text.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { answerPress } from "../../messages/menus/answer.service.ts";
import type { Method } from "../call.ts";
import { badRequest } from "../telegram-error.ts";

const LATE = "query is too old and response timeout expired or query ID is invalid";

/** answerCallbackQuery: the button stops waiting, and who pressed it reads `text` (protocol §15.6). */
export const answerCallbackQuery: Method = async ({ ctx, caller, bot, fields }) => {
  assertScope(caller, "cards");
  const given = fields.text("callback_query_id") ?? "";
  const text = fields.text("text") ?? "";
  if ([...text].length > ANSWER_MAX) throw badRequest("MESSAGE_TOO_LONG");
  if (!/^[1-9]\d{0,14}$/.test(given)) throw badRequest(LATE);
  const answer = { text: isBlank(text) ? null : text, alert: fields.flag("show_alert") };
  const isTaken = await answerPress(ctx, caller, { itemId: Number(given), agentName: bot.name, ...answer });
  if (!isTaken) throw badRequest(LATE);
  return true;
};
