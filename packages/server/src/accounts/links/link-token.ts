import type { Clock } from "../../clock.ts";

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Returns a new token of a link that is used once. Only its hash is stored. */
export const newToken = (clock: Clock): string => Buffer.from(clock.random(32)).toString("base64url");

/** Returns how a token is stored; null if no link can have it. */
export const storedToken = (token: string): string | null => (TOKEN.test(token) ? tokenHash(token) : null);

export const tokenHash = (token: string): string => Bun.SHA256.hash(token, "hex");
