import { type HookBody, HookBody as HookSchema } from "@parley/protocol/webhooks";
import { isBlank } from "../../base/visible-text.ts";
import { fail } from "../../errors.ts";
import { decodeText, parseJson } from "../../http/body/body.ts";
import { matchesSchema } from "../../http/body/validate.ts";
import { stringOf, strong } from "./forms/fields.ts";
import { payloadText } from "./forms/payload-text.ts";

/** The contents of a call of an incoming webhook. */
export interface HookCall {
  content: string;
  clientMsgId: string | null;
  threadRootId: number | null;
  /** Slack's clients expect `ok`. */
  isOwnForm: boolean;
}

/**
 * Reads the body of an incoming webhook: the own form, Slack's or Discord's (JSON or a form field), or what GitHub, Alertmanager
 * and others send by themselves (protocol §12.5). Errors: `invalid_json`, `unsupported_media_type`, `message_required`,
 * `invalid_request`.
 */
export function readHookBody(headers: Pick<Headers, "get">, bytes: Uint8Array): HookCall {
  const type = headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const payload = payloadOf(type, decodeText(bytes));
  if (payload === null || typeof payload !== "object" || Array.isArray(payload)) throw fail("message_required");
  const fields = payload as Record<string, unknown>;
  if (isOwnForm(fields)) return ownForm(fields);
  const content = payloadText(fields, headers);
  if (isBlank(content)) throw fail("message_required");
  return { content, clientMsgId: null, threadRootId: null, isOwnForm: false };
}

function payloadOf(type: string, text: string): unknown {
  if (type === "application/x-www-form-urlencoded") {
    const form = new URLSearchParams(text);
    const payload = form.get("payload") ?? form.get("payload_json");
    if (payload !== null) return parseJson(payload);
    // As `curl -d` sends it.
    if (/^\s*[{[]/.test(text)) throw wrongType("The body is JSON: send it with Content-Type: application/json.");
    return Object.fromEntries(form);
  }
  // Slack's clients also send JSON as text/plain, or without a type.
  if (type === "" || type === "text/plain" || type === "application/json" || type.endsWith("+json")) {
    if (/^payload(_json)?=/.test(text))
      throw wrongType("The body is a form: send it with Content-Type: application/x-www-form-urlencoded.");
    return parseJson(text);
  }
  throw wrongType(
    `Content-Type ${type.slice(0, 100)} is not read here: send JSON with Content-Type: application/json.`,
  );
}

const wrongType = (message: string) => fail("unsupported_media_type", { message });

/** Sentry's older plugin has a field `message`, too, beside its own. */
const isOwnForm = ({ message, project_name, event }: Record<string, unknown>): boolean =>
  typeof message === "string" && !isBlank(message) && !(project_name !== undefined && event !== undefined);

function ownForm(payload: Record<string, unknown>): HookCall {
  const { message, client_msg_id, thread_root_id } = payload as Partial<HookBody>;
  const fields = { message, client_msg_id: client_msg_id ?? null, thread_root_id: thread_root_id ?? null };
  if (!matchesSchema(HookSchema, fields)) {
    const details = [{ path: "", message: "client_msg_id has 1 to 64 characters, and thread_root_id is an id" }];
    throw fail("invalid_request", { details });
  }
  const { client_msg_id: clientMsgId = null, thread_root_id: threadRootId = null } = fields;
  return { content: withTitle(payload, fields.message), clientMsgId, threadRootId, isOwnForm: true };
}

/** Apprise sends a title beside the message. Grafana's message has the words of its title. */
function withTitle({ title, alerts }: Record<string, unknown>, message: string): string {
  const heading = alerts === undefined ? strong(stringOf(title)) : "";
  return heading === "" ? message : `${heading}\n${message}`;
}
