import { makeForwardSources } from "../../model/forward-sources.ts";
import type { Parley } from "../../session/parley.ts";

type Sources = ReturnType<typeof makeForwardSources>;

/** Events after which the user may read other sources than before, or they have lost some of their messages. */
const CHANGING: ReadonlySet<string> = new Set([
  "session:ready",
  "channel:added",
  "channel:removed",
  "channel:update",
  "channel:deleted",
  "history:purged",
]);

interface Known {
  self: string | null;
  sources: Sources;
  /** Ends following what changes them. */
  stop(): void;
}

/** The sources that were asked for, for one user at a time. */
const known = new WeakMap<Parley, Known>();

/** Returns the sources of forwarded messages as the page's user may read them now. */
export function sourcesOf(parley: Parley): Sources {
  const made = known.get(parley);
  if (made !== undefined && made.self === parley.self) return made.sources;
  made?.stop();
  const ids = new Set<number>();
  const sources = makeForwardSources(parley.client, ids);
  known.set(parley, { self: parley.self, sources, stop: follow(parley, sources, ids) });
  return sources;
}

/** Asks again after each change. `ids`: those of the sources that were found. */
function follow({ live, channels }: Parley, sources: Sources, ids: ReadonlySet<number>): () => void {
  const joined = () => {
    const { state, channels: all } = channels.view.get();
    return state === "ready" ? all.flatMap(({ id, my_role }) => (my_role === null ? [] : id)).join() : null;
  };
  let before = joined();
  const stops = [
    live.onEvent(({ event, data }) => {
      const id = event === "message:delete" ? data.message_id : event === "message:update" ? data.chat_message.id : 0;
      if (ids.has(id) || CHANGING.has(event)) sources.refresh();
    }),
    // Not every way into a channel, or out of it, has an event.
    channels.view.subscribe(() => {
      const now = joined();
      if (now === null || now === before) return;
      before = now;
      sources.refresh();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
