import type { SetupSteps } from "@parley/protocol/site";
import { useEffect, useState } from "react";
import { useParley } from "../session/parley-context.ts";

/** An agent's first call raises no event, so the list is read again after this long. */
const POLL_MS = 10_000;

/**
 * Returns which first steps with the site are done, as the server sees it; null until it has answered. Reads them again
 * when a window closes, channels or people come, and from time to time while the page is visible.
 */
export function useSetupSteps(channelId: number): SetupSteps | null {
  const parley = useParley();
  const [steps, setSteps] = useState<SetupSteps | null>(null);
  useEffect(() => {
    let isMounted = true;
    const read = () => {
      parley.client.admin.setup().then(
        (answer) => isMounted && setSteps(answer.steps),
        // Read again soon.
        (error: unknown) => console.warn(error),
      );
    };
    read();
    const timer = setInterval(() => document.visibilityState === "visible" && read(), POLL_MS);
    const peopleCame = () => {
      read();
      // No event says that newcomers joined, so the count of members would stay behind.
      void parley.channels.load();
    };
    const ends = [
      parley.openDialog.subscribe(() => parley.openDialog.get() === null && read()),
      parley.channelSession(channelId).people.subscribe(peopleCame),
    ];
    return () => {
      isMounted = false;
      clearInterval(timer);
      for (const end of ends) end();
    };
  }, [parley, channelId]);
  return steps;
}
