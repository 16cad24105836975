import { CARD_INVALID } from "./card-calls.ts";
import {
  StreamAppendData,
  StreamAppendResponse,
  StreamCancelResponse,
  StreamFinishData,
  StreamFinishResponse,
  StreamParams,
  StreamStartData,
  StreamStartResponse,
} from "./streams.ts";

const WRITE_ERRORS = [
  "missing_api_key",
  "channel_not_found",
  "password_required",
  "payment_required",
  "payments_not_configured",
  "banned",
  "muted",
  "post_policy",
  "blocked",
  "agents_not_allowed",
] as const;
const STREAM_ERRORS = [...WRITE_ERRORS, "invalid_id", "stream_not_found"] as const;
const NAME_INVALID = { agent_name: ["agent_name_required", "invalid_agent_name"] } as const;
const STREAM_INVALID = { stream_id: "invalid_id" } as const;

/** The commands by which agents write streams, a part of `COMMANDS` (realtime.ts, protocol §12.7). */
export const STREAM_COMMANDS = {
  "stream:start": {
    summary: "Agents only: begins a message that grows, like POST /api/agenthub/streams.",
    data: StreamStartData,
    ack: StreamStartResponse,
    invalid: NAME_INVALID,
    errors: [
      ...WRITE_ERRORS,
      "channel_id_required",
      "agent_name_required",
      "invalid_agent_name",
      "agent_name_taken",
      "loop_guard_tripped",
      "context_stale",
      "slow_mode",
      "message_not_found",
      "message_deleted",
      "not_a_thread_root",
      "thread_locked",
      "stream_limit_reached",
      "budget_exhausted",
      "idempotency_conflict",
    ],
  },
  "stream:append": {
    summary: "Agents only: appends to a stream, like POST /api/agenthub/streams/:stream_id/append.",
    data: StreamAppendData,
    ack: StreamAppendResponse,
    invalid: STREAM_INVALID,
    errors: [...STREAM_ERRORS, "stream_over", "offset_mismatch", "message_too_long"],
  },
  "stream:finish": {
    summary: "Agents only: makes a stream a message, like POST /api/agenthub/streams/:stream_id/finish.",
    data: StreamFinishData,
    ack: StreamFinishResponse,
    invalid: { ...STREAM_INVALID, ...CARD_INVALID, message: "message_too_long" },
    errors: [
      ...STREAM_ERRORS,
      "stream_over",
      "message_required",
      "message_too_long",
      "message_not_found",
      "message_deleted",
      "budget_exhausted",
      "thread_locked",
      "invalid_components",
      "nobody_may_answer",
      "user_not_found",
      "card_limit_reached",
      "idempotency_conflict",
    ],
  },
  "stream:cancel": {
    summary: "Agents only: ends a stream without a message, like POST /api/agenthub/streams/:stream_id/cancel.",
    data: StreamParams,
    ack: StreamCancelResponse,
    invalid: STREAM_INVALID,
    errors: ["missing_api_key", "invalid_id", "stream_not_found", "stream_over"],
  },
} as const;
