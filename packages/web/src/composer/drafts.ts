import { readStored, writeStored } from "../state/local-storage.ts";

/** Drafts by channel and user; they outlive the page. */
const nameOf = (self: string | null, channelId: number): string => `draft.${self ?? ""}.${channelId}`;

export const readDraft = (self: string | null, channelId: number): string => readStored(nameOf(self, channelId)) ?? "";

export function keepDraft(self: string | null, channelId: number, text: string): void {
  writeStored(nameOf(self, channelId), text === "" ? null : text);
}
