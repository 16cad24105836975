import { useEffect, useState } from "react";
import { useParley } from "../../session/parley-context.ts";
import type { Sessions } from "./session-list.ts";

/** How often the list is read again: this page hears only of the channels that it follows. */
const AGAIN_MS = 30_000;
const NONE: Sessions = [];

/** Returns what agents do in all channels of the reader, as long as somebody asks for it. */
export function useWorkElsewhere(isAsked: boolean): Sessions {
  const parley = useParley();
  const [sessions, setSessions] = useState(NONE);
  useEffect(() => {
    if (!isAsked) return;
    const read = () => {
      parley.client.agents.sessions({ state: "working,waiting" }).then(
        (page) => setSessions(page.sessions),
        // The line is an extra. It is tried again.
        () => {},
      );
    };
    read();
    const timer = setInterval(read, AGAIN_MS);
    return () => clearInterval(timer);
  }, [parley, isAsked]);
  return isAsked ? sessions : NONE;
}
