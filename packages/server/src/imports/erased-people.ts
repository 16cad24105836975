import { createHash } from "node:crypto";

/** No format has ids that begin like this. */
const PREFIX = "erased ";

/** Returns what the map keeps instead of the source id of a person who was erased. */
export const hashedSourceId = (salt: string, sourceId: string): string =>
  PREFIX + createHash("sha256").update(`${salt} ${sourceId}`).digest("hex");

export const isHashed = (sourceId: string): boolean => sourceId.startsWith(PREFIX);
