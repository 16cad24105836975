import { createHash } from "node:crypto";
import type { ExportChannel } from "../read/channels.ts";
import type { Person } from "../read/people.ts";

/** Ids as Slack writes them: a letter that says what it is, then digits and capital letters. */
const idOf = (letter: string, number: number): string =>
  `${letter}0${number.toString(36).toUpperCase().padStart(8, "0")}`;
const hashed = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 10).toUpperCase();

/** The same in a later export, so that it is recognised. An agent with several names is several people. */
export function slackId({ kind, id, name }: Person): string {
  if (kind === "user") return idOf("U", id);
  return kind === "deleted" ? "U0DELETED" : `UB${hashed(`${kind} ${id} ${name}`)}`;
}

export const botId = ({ kind, id, name }: Person): string => `B${hashed(`${kind} ${id} ${name}`)}`;

const LETTERS = { public: "C", private: "G", direct: "D", group: "G" } as const;

export const channelId = ({ id, kind }: Pick<ExportChannel, "id" | "kind">): string => idOf(LETTERS[kind], id);

/** Returns the id that tells this server from others: made of when its first channel was made. */
export const teamId = (createdAt: number): string => `T${hashed(`team ${createdAt}`)}`;
