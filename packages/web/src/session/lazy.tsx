import { type ComponentType, useEffect, useState } from "react";
import { retryUntilDone } from "../state/retry.ts";
import { useParley } from "./parley-context.ts";

/**
 * Loads a component's code when it is first shown, or by `load`; until then it renders nothing, or `Waiting`. A load
 * that fails is reported, and retried while the component is mounted.
 */
export function lazy<P extends object>(
  importComponent: () => Promise<ComponentType<P>>,
  Waiting?: ComponentType<P>,
): ComponentType<P> & { load(): Promise<void> } {
  let loaded: ComponentType<P> | null = null;
  const load = async () => {
    loaded ??= await importComponent();
  };
  function Lazy(props: P) {
    const parley = useParley();
    const [Shown, setShown] = useState(() => loaded);
    useEffect(() => {
      if (loaded !== null) {
        setShown(() => loaded);
        return;
      }
      const fetch = async () => {
        await load();
        setShown(() => loaded);
      };
      return retryUntilDone(fetch, (error) => parley.showError(error));
    }, [parley]);
    if (Shown !== null) return <Shown {...props} />;
    return Waiting === undefined ? null : <Waiting {...props} />;
  }
  return Object.assign(Lazy, { load });
}

const LATER: (() => Promise<void>)[] = [];

/**
 * Is `lazy` for what the first view does not show, but the user may want next: `loadLater` loads it, so that it appears
 * at once.
 */
export function later<P extends object>(importComponent: () => Promise<ComponentType<P>>): ComponentType<P> {
  const component = lazy(importComponent);
  LATER.push(component.load);
  return component;
}

/** Loads what `later` names, after the first view. What fails to load is loaded, and reported, when it is shown. */
export function loadLater(): void {
  for (const load of LATER) load().catch(() => {});
}
