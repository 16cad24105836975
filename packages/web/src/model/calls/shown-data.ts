/** What a notification of the system knows about itself; the page and the service worker give it to theirs. */
export interface ShownData {
  /** Where a press leads. */
  url: string;
  /** The channel with which it is read; null: it is read by itself. */
  channelId: number | null;
  messageId: number | null;
  /** Its entry in the user's list of notifications; null: none, or not known. */
  notificationId: number | null;
}

interface Announced {
  kind: string;
  notification_id: number | null;
  message_id: number | null;
}

/**
 * Returns the id under which it is remembered that the user knows of something: that of its message. A reminder has one of
 * its own, which is negative, because its message was announced when it came.
 */
export const announcedIdOf = ({ kind, notification_id, message_id }: Announced): number | null =>
  kind === "reminder" && notification_id !== null ? -notification_id : message_id;

/** Returns the tag of a notification that replaces no other, as the server gives it to pushed ones. */
export const tagOf = (notificationId: number): string => `notice-${notificationId}`;

/**
 * What the service worker tells pages, all of this browser. `announced?`: it received a push; a page answers on the
 * port whether the user knows of it already; `messageId` is that of `announcedIdOf`. `announced`: it has shown it. `open`: the user pressed a
 * notification, and this page shall show where it leads.
 */
export type WorkerMessage =
  | { type: "announced?"; channelId: number | null; messageId: number }
  | { type: "announced"; messageId: number }
  | { type: "open"; url: string };

/** Returns the address of the service worker that speaks this language. */
export const workerUrl = (language: string): string => `/sw.js?language=${language}`;
