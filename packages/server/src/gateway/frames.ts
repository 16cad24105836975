import type { ErrorBody } from "@parley/protocol/errors";
import { CommandFrame } from "@parley/protocol/realtime";
import type { AppContext } from "../context.ts";
import { type AppError, fail } from "../errors.ts";
import { readJson, refuseUnstorable } from "../http/body/body.ts";
import { Validator } from "../http/body/validate.ts";
import { frameOf } from "../realtime/frame-text.ts";
import type { Connection } from "./connection.ts";

/** A received command; its data is not validated yet. */
export interface Incoming {
  event: string;
  data: unknown;
  /** The ref as JSON text, `null` if absent; echoed unchanged. */
  ref: string;
}

const shape = new Validator(CommandFrame);

/** Reads a frame. An error carries the ref if one could be read, so that the client knows which command failed. */
export function readFrame(raw: string | Uint8Array): Incoming | { error: unknown; ref: string } {
  let ref = "null";
  try {
    if (typeof raw !== "string") throw fail("invalid_json", { message: "Frames are JSON text, not binary." });
    const frame = readJson(raw);
    ref = refOf(frame);
    refuseUnstorable(raw, frame);
    shape.check(frame);
    const { event, data } = frame as { event: string; data?: unknown };
    return { event, data: data ?? {}, ref };
  } catch (error) {
    return { error, ref };
  }
}

function refOf(frame: unknown): string {
  if (frame === null || typeof frame !== "object" || !("ref" in frame)) return "null";
  const { ref } = frame;
  const isRef = (typeof ref === "string" && ref.length <= 64) || Number.isSafeInteger(ref);
  return isRef ? JSON.stringify(ref) : "null";
}

/**
 * Returns the ack of a command; `body` is the JSON of the REST twin's response, which may contain preserialized
 * records.
 */
export function ackFrame(ref: string, body: string): string {
  return `{"event":"ack","ref":${ref},"data":${body}}`;
}

export function errorFrame(ref: string, body: ErrorBody): string {
  return `{"event":"error","ref":${ref},"data":${JSON.stringify(body)}}`;
}

/** True for errors of the frame itself, not of the command in it: ten in a row end the connection. */
export function isBadFrame(error: AppError): boolean {
  return error.status === 400 || error.code === "unknown_command";
}

/**
 * Returns the first frame of a socket, which is repeated after a login: the data's epoch, and the user or agent. A user
 * who must set up a second factor first hears of nothing else.
 */
export function readyFrame(ctx: AppContext, { identity, isCompact }: Connection): string {
  const user = identity.kind === "user" ? { username: identity.username, admin_level: identity.adminLevel } : null;
  const session_id = identity.kind === "user" ? identity.sessionId : undefined;
  const agent = identity.kind === "agent" ? { agent_id: identity.agentId } : undefined;
  const second_factor_setup_required = identity.kind === "user" && identity.lacksFactor ? true : undefined;
  const frames = isCompact ? "compact" : undefined;
  const data = { epoch: ctx.epoch, user, session_id, agent, second_factor_setup_required, frames };
  return frameOf("session:ready", JSON.stringify(data));
}
