import { useEffect, useMemo } from "react";
import { useListedGroups } from "../session/listed-groups.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import type { CatchUp } from "./catch-up.ts";
import { type Entry, entriesOf } from "./entries.ts";

/** Returns what waits for the user, kept up to date while the component is mounted. */
export function useEntries(catchUp: CatchUp): { entries: Entry[]; state: "loading" | "ready" | "failed" } {
  const parley = useParley();
  useEffect(() => catchUp.watch(), [catchUp]);
  const groups = useListedGroups();
  const mentions = useStore(parley.channels.mentions.all);
  const settings = useStore(parley.calls.preferences.notifications);
  const listed = useStore(parley.channels.view);
  const threads = useStore(parley.threads.view);
  const notifications = useStore(catchUp.notifications.view);
  const waiting = useStore(catchUp.waiting);
  const doneUpTo = useStore(catchUp.doneUpTo);
  const aside = useStore(catchUp.aside);
  const back = useStore(catchUp.back);
  const entries = useMemo(() => {
    // A channel is in several groups if it is a favourite.
    const channels = [...new Map(groups.flatMap((group) => group.channels).map((each) => [each.id, each])).values()];
    return entriesOf({
      channels,
      mentions,
      settings,
      threads: threads.threads,
      notifications: notifications.items,
      cards: waiting.cards,
      sessions: waiting.sessions,
      doneUpTo,
      aside,
      back,
    });
  }, [groups, mentions, settings, threads, notifications, waiting, doneUpTo, aside, back]);
  const states = [listed.state, threads.state, waiting.isReady ? "ready" : "loading"];
  const state = states.includes("loading") ? "loading" : states.includes("failed") ? "failed" : "ready";
  return { entries, state };
}
