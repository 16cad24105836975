import { parseRoute, type Route } from "./route.ts";
import { Store } from "./store.ts";

/** The route of the address, kept up to date. */
export function followAddress(): Store<Route> {
  const route = new Store(parseRoute(location.hash));
  addEventListener("hashchange", () => route.set(parseRoute(location.hash)));
  return route;
}
