import { parseRoute, type Route } from "./route.ts";
import { Store } from "./store.ts";

/** Replaces the address of this entry of the history, which keeps what is known about it (`covers.ts`), and reports it. */
export function replaceAddress(href: string): void {
  history.replaceState(history.state, "", href);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

/** Returns a store with the current route. Each use of a link sets a new object, also if the address stays the same. */
export function currentRoute(): Store<Route> {
  const route = new Store(parseRoute(location.hash));
  const set = () => route.set(parseRoute(location.hash));
  addEventListener("hashchange", set);
  // The browser reports no change when a link leads to the current address, from which the user may have scrolled away.
  addEventListener("click", (event) => {
    const { target, button, ctrlKey, metaKey, shiftKey, altKey, defaultPrevented } = event;
    if (defaultPrevented || button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return;
    const link = target instanceof Element ? target.closest("a") : null;
    if (link !== null && link.hash !== "" && link.href === location.href) set();
  });
  return route;
}
