import type { ErrorCode } from "@parley/protocol/errors";
import type { AppError } from "../errors.ts";
import { badRequest, TelegramError } from "./telegram-error.ts";

/** Codes with words of their own in the Bot API (protocol §15.7). */
const BAD_REQUESTS: Partial<Record<ErrorCode, string>> = {
  channel_not_found: "chat not found",
  channel_not_in_scope: "chat not found",
  password_required: "chat not found",
  payment_required: "chat not found",
  file_not_found: "invalid file_id",
  message_required: "message text is empty",
  content_required: "message text is empty",
  message_too_long: "message is too long",
  thread_locked: "TOPIC_CLOSED",
  not_a_thread_root: "message thread not found",
  invalid_reaction: "REACTION_INVALID",
};

/** The words for a missing message, by method. */
const MISSING = new Map(
  Object.entries({
    editmessagetext: "message to edit not found",
    editmessagecaption: "message to edit not found",
    editmessagereplymarkup: "message to edit not found",
    deletemessage: "message to delete not found",
    deletemessages: "message to delete not found",
    pinchatmessage: "message to pin not found",
    unpinchatmessage: "message to unpin not found",
    copymessage: "message to copy not found",
    forwardmessage: "message to forward not found",
  }),
);
const LOOP = "Too Many Requests: agents have sent too many messages in a row here. A person must write next.";

/** Converts an error of Parley to one of the Bot API. `method` is in lower case. */
export function refusalOf(error: AppError, method = ""): TelegramError {
  const { code, status, message } = error;
  const known = BAD_REQUESTS[code];
  if (known !== undefined) return badRequest(known);
  if (status === 401) return new TelegramError(401, "Unauthorized");
  if (code === "message_not_found" || code === "message_deleted")
    return badRequest(MISSING.get(method) ?? "message to be replied not found");
  if (code === "cannot_forward")
    return badRequest(method === "copymessage" ? "message can't be copied" : "message can't be forwarded");
  if (code === "forbidden" && /^(?:un)?pin/.test(method))
    return badRequest("not enough rights to manage pinned messages in the chat");
  if (code === "forbidden" && method.startsWith("delete")) return badRequest("message can't be deleted");
  if (code === "forbidden" && method.startsWith("edit")) return badRequest("message can't be edited");
  if (code === "loop_guard_tripped") return new TelegramError(429, LOOP);
  if (status === 429 || code === "overloaded") return wait(error.retryAfter ?? 1);
  if (status === 413) return new TelegramError(413, "Request Entity Too Large");
  if (status === 404 && code === "not_found") return new TelegramError(404, "Not Found");
  if (status === 403) return forbidden(error);
  if (status >= 500) return new TelegramError(status, `Internal Server Error: ${message}`, error.retryAfter);
  if (status === 405) return new TelegramError(405, "Method Not Allowed");
  return badRequest(detailed(error));
}

const wait = (seconds: number): TelegramError =>
  new TelegramError(429, `Too Many Requests: retry after ${seconds}`, seconds);

function forbidden({ code, message, details }: AppError): TelegramError {
  if (code === "banned") return new TelegramError(403, "Forbidden: bot was kicked from the supergroup chat");
  if (code === "blocked") return new TelegramError(403, "Forbidden: bot was blocked by the user");
  if (code === "budget_exhausted" && details !== undefined) {
    const { budget, resets_at: until } = details as { budget?: unknown; resets_at?: unknown };
    if (budget !== undefined && until !== undefined)
      return new TelegramError(403, `Forbidden: ${budget} is exhausted until ${until}`);
  }
  return new TelegramError(403, `Forbidden: ${message}`);
}

/** The sentence of an error, with the field that is wrong. */
function detailed({ message, details }: AppError): string {
  const [first] = Array.isArray(details) ? (details as { path?: unknown; message?: unknown }[]) : [];
  return first?.message === undefined ? message : `${message} ${first.path}: ${first.message}`;
}

/** Makes the answer of a refused call. */
export function refusalResponse({ status, message, retryAfter }: TelegramError): Response {
  const body = {
    ok: false,
    error_code: status,
    description: message,
    ...(retryAfter === undefined ? {} : { parameters: { retry_after: retryAfter } }),
  };
  const headers = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
  return Response.json(body, { status, ...(headers === undefined ? {} : { headers }) });
}
