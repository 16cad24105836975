import { keep, readKept } from "../app/kept.ts";

/** What was written and not sent, by channel and person; it outlives the page. */
const nameOf = (self: string | null, channelId: number): string => `draft.${self ?? ""}.${channelId}`;

export const readDraft = (self: string | null, channelId: number): string => readKept(nameOf(self, channelId)) ?? "";

export function keepDraft(self: string | null, channelId: number, text: string): void {
  keep(nameOf(self, channelId), text === "" ? null : text);
}
