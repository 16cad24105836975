import { readStored, writeStored } from "../state/local-storage.ts";
import { Store } from "../state/store.ts";

const NAME = "catch-up-aside";
/** More than the server lists of cards and sessions at once. */
const KEPT = 300;

/** Returns the keys of what the user has set aside in this browser: cards and agents' work, which have no read mark. */
export function storedAside(): Store<ReadonlySet<string>> {
  const keys = (readStored(NAME) ?? "").split(" ").filter((key) => key !== "");
  const aside = new Store<ReadonlySet<string>>(new Set(keys));
  aside.subscribe(() => writeStored(NAME, [...aside.get()].slice(-KEPT).join(" ")));
  return aside;
}
