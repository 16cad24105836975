import anyAscii from "any-ascii";

/** Names that mean something else in other chats. */
const RESERVED = ["all", "channel", "here", "everyone", "matterbot", "system", "slackbot"];
const LENGTH_MAX = 60;

/** Gives names that other chats allow: lower case, of `a-z0-9._-`, each only once. */
export class Handles {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[] = []) {
    this.#taken = new Set([...RESERVED, ...taken]);
  }

  of(name: string): string {
    const base = handleOf(name);
    let handle = base;
    for (let number = 2; this.#taken.has(handle); number += 1) handle = `${base}-${number}`;
    this.#taken.add(handle);
    return handle;
  }
}

function handleOf(name: string): string {
  const latin = anyAscii(name).toLowerCase();
  const plain = latin.replace(/[^a-z0-9._-]+/g, "-").replace(/^[._-]+|[._-]+$/g, "");
  return plain.slice(0, LENGTH_MAX) || "unnamed";
}
