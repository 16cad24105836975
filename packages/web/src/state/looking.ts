/**
 * Tells the browser's other pages which channel this one shows, by a lock that ends with the page, however it ends. Where
 * locks are not supported there are no notifications either.
 */
export class Looking {
  #name: string | null = null;
  #release = () => {};

  /** Sets the channel that the user sees; null: none, or the page is hidden. */
  set(channelId: number | null): void {
    const name = channelId === null ? null : lockName(channelId);
    if (name === this.#name || !("locks" in navigator)) return;
    this.#name = name;
    this.#release();
    if (name === null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#release = resolve;
    // It fails only when the page ends.
    navigator.locks.request(name, { mode: "shared" }, () => promise).catch(() => {});
  }
}

/** True if the user sees the channel in any page of this browser. */
export async function isLookedAt(channelId: number): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === lockName(channelId));
}

const lockName = (channelId: number): string => `parley.looking.${channelId}`;
