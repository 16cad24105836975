import { parseRoute, type Route } from "./route.ts";
import { Store } from "./store.ts";

/** Returns a store with the current route. */
export function currentRoute(): Store<Route> {
  const route = new Store(parseRoute(location.hash));
  addEventListener("hashchange", () => route.set(parseRoute(location.hash)));
  return route;
}
