import { readStored, writeStored } from "../state/local-storage.ts";

const key = (self: string): string => `first-steps-done.${self}`;

/** True if this browser knows that the user has taken the first steps, or has hidden their list. */
export const isChecklistDone = (self: string): boolean => readStored(key(self)) !== null;

export const setChecklistDone = (self: string): void => writeStored(key(self), "done");
