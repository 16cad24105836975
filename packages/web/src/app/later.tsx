import { type ComponentType, useEffect, useState } from "react";
import { useParley } from "./parley-context.ts";
import { untilDone } from "./until-done.ts";

/**
 * A component whose code is fetched when it is first shown; until then there is nothing in its place. What cannot be fetched is said, and
 * tried again as long as it is wanted.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Later(props: P) {
    const parley = useParley();
    const [Shown, setShown] = useState(() => loaded);
    useEffect(() => {
      if (loaded !== null) {
        setShown(() => loaded);
        return;
      }
      const fetch = async () => {
        loaded = await load();
        setShown(() => loaded);
      };
      return untilDone(fetch, (error) => parley.complain(error));
    }, [parley]);
    return Shown === null ? null : <Shown {...props} />;
  };
}
