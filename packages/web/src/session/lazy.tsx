import { type ComponentType, useEffect, useState } from "react";
import { retryUntilDone } from "../state/retry.ts";
import { useParley } from "./parley-context.ts";

/**
 * Loads a component's code when it is first shown; until then it renders nothing. A load that fails is reported, and
 * retried while the component is mounted.
 */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Lazy(props: P) {
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
      return retryUntilDone(fetch, (error) => parley.showError(error));
    }, [parley]);
    return Shown === null ? null : <Shown {...props} />;
  };
}
