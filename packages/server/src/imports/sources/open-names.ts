import { SourceError } from "../source.ts";
import type { SourceOptions } from "./format.ts";

/** A channel that `--open` may name. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** True if `--open` names a channel. `isOfAll`: `all` names it, too. */
export const isNamedOpen = (open: SourceOptions["open"], { id, name }: Named, isOfAll = true): boolean =>
  open === "all" ? isOfAll : open.has(id) || (isOfAll && open.has(name));

/**
 * Throws a `SourceError` if `--open` names a channel that the export does not have, or has more than once: nobody shall
 * read what somebody else meant. `what`: the word for such a thing.
 */
export function checkOpen(open: SourceOptions["open"], channels: readonly Named[], what: string): void {
  if (open === "all") return;
  const ids = new Set(channels.map(({ id }) => id));
  for (const name of open) {
    const found = channels.filter((channel) => channel.name === name);
    if (ids.has(name) || found.length === 1) continue;
    if (found.length === 0)
      throw new SourceError(`The export has no ${what} named ${JSON.stringify(name)}. Check --open.`);
    const some = found.slice(0, 5).map(({ id }) => id);
    throw new SourceError(
      `The export has ${found.length} of the name ${JSON.stringify(name)}. Name them by id with --open: ${some.join(", ")}.`,
    );
  }
}
