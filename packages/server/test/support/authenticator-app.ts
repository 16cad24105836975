import { TOTP } from "otpauth";
import type { Clock } from "../../src/clock.ts";
import { type Answered, type Client, PASSWORD } from "./servers/test-server.ts";

const STEP_MS = 30_000;

/** An authenticator app that is set up with a user's account. */
export interface AppUser {
  secret: string;
  recoveryCodes: string[];
  /** Returns the code of now, or of so many steps of 30 seconds later. */
  code(steps?: number): string;
}

/** Returns the code of a secret at that time. */
export const codeAt = (secret: string, time: number): string => new TOTP({ secret }).generate({ timestamp: time });

/** Sets an authenticator app up for the client's user. The code of the step before the current one confirms it. */
export async function setUpApp(client: Client, clock: Clock): Promise<AppUser> {
  const begun = await client.post("/api/auth/totp", {});
  if (begun.status !== 200) throw new Error(`totp: ${begun.status} ${JSON.stringify(begun.body)}`);
  const { secret } = begun.body;
  const code = (steps = 0) => codeAt(secret, clock.now() + steps * STEP_MS);
  const confirmed = await client.post("/api/auth/totp/confirm", { code: code(-1) });
  if (confirmed.status !== 200) throw new Error(`confirm: ${confirmed.status} ${JSON.stringify(confirmed.body)}`);
  return { secret, recoveryCodes: confirmed.body.recovery_codes, code };
}

/** Logs in with the right password and returns the challenge of the second factor. */
export async function challengeOf(client: Client, username: string, password = PASSWORD): Promise<string> {
  const { status, body }: Answered = await client.post("/api/auth/login", { username, password });
  if (status !== 401 || body.code !== "second_factor_required") throw new Error(`login: ${status} ${body.code}`);
  return body.details.challenge_id;
}
