import { readStored, writeStored } from "../state/local-storage.ts";

/** Where a draft is written: in a channel, or in the thread of a message. */
export interface DraftPlace {
  channelId: number;
  rootId: number | null;
}

/** Returns the name of a user's draft. Drafts outlive the page. */
export const draftName = (self: string | null, { channelId, rootId }: DraftPlace): string =>
  `draft.${self ?? ""}.${channelId}${rootId === null ? "" : `.${rootId}`}`;

export const readDraft = (self: string | null, place: DraftPlace): string => readStored(draftName(self, place)) ?? "";

const previewsName = (self: string | null, place: DraftPlace): string => `previews.${draftName(self, place)}`;

/** True unless the user leaves out the previews of the links in their draft. */
export const readPreviews = (self: string | null, place: DraftPlace): boolean =>
  readStored(previewsName(self, place)) === null;

export const keepPreviews = (self: string | null, place: DraftPlace, isOn: boolean): void =>
  writeStored(previewsName(self, place), isOn ? null : "off");

export function keepDraft(self: string | null, place: DraftPlace, text: string): void {
  writeStored(draftName(self, place), text === "" ? null : text);
}
