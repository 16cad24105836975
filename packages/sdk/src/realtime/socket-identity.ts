import { CLOSE } from "../backoff.ts";
import { ParleyError } from "../errors.ts";
import type { RealtimeOptions } from "./realtime-types.ts";

/** The command that gives a socket the identity of the options; null if the handshake gives it. */
export function loginCommand({ login, apiKey }: RealtimeOptions) {
  if (apiKey !== undefined) return { event: "auth:agent", data: { api_key: apiKey } } as const;
  return login === undefined ? null : ({ event: "auth:login", data: login } as const);
}

/** Close reasons that are codes of the API: the agent's key is no longer accepted. */
const KEY_CODES: readonly string[] = ["invalid_api_key", "key_revoked", "key_expired", "agent_paused"];

/** Returns the error of a socket that the server closed for good. */
export function closedError(code: number, reason: string): ParleyError {
  const isOver = code === CLOSE.sessionOver;
  const text = `The server ended the connection${reason === "" ? "" : `: ${reason}`}.`;
  const name = KEY_CODES.includes(reason) ? reason : isOver ? "session_over" : "access_ended";
  return new ParleyError(name, text, { status: isOver ? 401 : 403 });
}

export const sessionOver = () => new ParleyError("session_over", "The session is over; log in again.", { status: 401 });
