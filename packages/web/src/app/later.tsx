import { type ComponentType, useEffect, useState } from "react";
import { useParley } from "./parley-context.ts";

/**
 * A component whose code is fetched when it is first shown; until then there is nothing in its place. What cannot be fetched is said, and
 * tried again when it is shown again.
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
      load().then(
        (component) => {
          loaded = component;
          setShown(() => component);
        },
        (error: unknown) => parley.complain(error),
      );
    }, [parley]);
    return Shown === null ? null : <Shown {...props} />;
  };
}
