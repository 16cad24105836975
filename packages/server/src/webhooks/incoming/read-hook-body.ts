import { type HookBody, HookBody as HookSchema } from "@parley/protocol/webhooks";
import { isBlank } from "../../base/visible-text.ts";
import { fail } from "../../errors.ts";
import { decodeText, parseJson } from "../../http/body/body.ts";
import { matchesSchema } from "../../http/body/validate.ts";
import { textOfPayload } from "./slack-text.ts";

/** The contents of a call of an incoming webhook. */
export interface HookCall {
  content: string;
  clientMsgId: string | null;
  threadRootId: number | null;
  /** Slack's clients expect `ok`. */
  isOwnForm: boolean;
}

/**
 * Reads the body of an incoming webhook: the own form, Slack's (JSON or form field `payload`), or what Alertmanager and
 * Uptime Kuma send by themselves. Errors: `invalid_json`, `unsupported_media_type`, `message_required`, `invalid_request`.
 */
export function readHookBody(contentType: string | null, bytes: Uint8Array): HookCall {
  const type = contentType?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const text = decodeText(bytes);
  const payload = payloadOf(type, text);
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) throw fail("message_required");
  if (typeof (payload as { message?: unknown }).message === "string") return ownForm(payload);
  const content = textOfPayload(payload as Record<string, unknown>);
  if (isBlank(content)) throw fail("message_required");
  return { content, clientMsgId: null, threadRootId: null, isOwnForm: false };
}

function payloadOf(type: string, text: string): unknown {
  if (type === "application/x-www-form-urlencoded") {
    const payload = new URLSearchParams(text).get("payload");
    if (payload === null) throw fail("message_required");
    return parseJson(payload);
  }
  // Slack's clients also send JSON as text/plain, or without a type.
  if (type === "" || type === "text/plain" || type === "application/json" || type.endsWith("+json"))
    return parseJson(text);
  throw fail("unsupported_media_type");
}

function ownForm(payload: object): HookCall {
  const { message, client_msg_id, thread_root_id } = payload as Partial<HookBody>;
  const fields = { message, client_msg_id: client_msg_id ?? null, thread_root_id: thread_root_id ?? null };
  if (!matchesSchema(HookSchema, fields)) {
    const details = [{ path: "", message: "client_msg_id has 1 to 64 characters, and thread_root_id is an id" }];
    throw fail("invalid_request", { details });
  }
  if (isBlank(fields.message)) throw fail("message_required");
  const { client_msg_id: clientMsgId = null, thread_root_id: threadRootId = null } = fields;
  return { content: fields.message, clientMsgId, threadRootId, isOwnForm: true };
}
