/** What a notification of the system knows about itself; the page and the service worker give it to theirs. */
export interface ShownData {
  /** Where a press leads. */
  url: string;
  channelId: number | null;
  messageId: number | null;
  /** Its entry in the user's list of notifications; null: none, or not known. */
  notificationId: number | null;
}

/**
 * What the service worker tells pages, all of this browser. `announced?`: it received a push; a page answers on the
 * port whether the user knows of the message already. `announced`: it has shown it. `open`: the user pressed a
 * notification, and this page shall show where it leads.
 */
export type WorkerMessage =
  | { type: "announced?"; channelId: number | null; messageId: number }
  | { type: "announced"; messageId: number }
  | { type: "open"; url: string };

/** Returns the address of the service worker that speaks this language. */
export const workerUrl = (language: string): string => `/sw.js?language=${language}`;
