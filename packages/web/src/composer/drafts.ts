import { keep, readKept } from "../state/local-storage.ts";

/** Drafts by channel and user; they outlive the page. */
const nameOf = (self: string | null, channelId: number): string => `draft.${self ?? ""}.${channelId}`;

export const readDraft = (self: string | null, channelId: number): string => readKept(nameOf(self, channelId)) ?? "";

export function keepDraft(self: string | null, channelId: number, text: string): void {
  keep(nameOf(self, channelId), text === "" ? null : text);
}
