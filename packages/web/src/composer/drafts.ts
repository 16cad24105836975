import { readStored, writeStored } from "../state/local-storage.ts";

/** Returns the name of a user's draft in a channel. Drafts outlive the page. */
export const draftName = (self: string | null, channelId: number): string => `draft.${self ?? ""}.${channelId}`;

export const readDraft = (self: string | null, channelId: number): string =>
  readStored(draftName(self, channelId)) ?? "";

export function keepDraft(self: string | null, channelId: number, text: string): void {
  writeStored(draftName(self, channelId), text === "" ? null : text);
}
