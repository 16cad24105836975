import { plural } from "../../locale.ts";

const many = (count: number, max: number): string => (count >= max ? `${max - 1}+` : String(count));

/** English texts of Catch up, and of marking messages as unread. `zh.ts` has the same keys. */
export const EN_CATCH_UP = {
  title: "Catch up",
  unreadFrom: "Unread from here",
  guest: "Log in to see what is unread.",
  failed: "Couldn't load everything.",
  none: "You're all caught up.",
  noneHint: "New messages, mentions, threads and cards appear here.",
  keys: "j and k move, Enter opens, e is done, u undoes.",
  list: "What waits for you",
  kinds: { card: "Waits for you", channel: "Channel", thread: "Thread", mention: "Mention", session: "Agent" },
  unread: (count: number) => `${many(count, 100)} new`,
  mentions: (count: number) => plural(count, "mention", "mentions"),
  inChannel: (name: string) => `in ${name}`,
  more: (count: number) => `${count} more`,
  andMore: (count: number) => `${plural(count, "more entry", "more entries")} below these`,
  done: "Done",
  doneWith: (name: string) => `Mark as done: ${name}`,
  isDone: (name: string) => `Done: ${name}`,
  allDone: "Everything is marked as read.",
  undo: "Undo",
  undone: (name: string) => `Back: ${name}`,
  allRead: "Mark all as read",
  states: {
    working: "is working",
    waiting: "waits for an answer",
    gone: "went away",
    done: "finished",
    failed: "failed",
  },
  worked: (agent: string, state: string) => `${agent} ${state}`,
};
