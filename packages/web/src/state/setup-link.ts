const PATH = "/setup";

/** Returns the setup code of the address that the page was opened with; null: it was opened at another address. */
export function setupCodeIn({ pathname, hash }: { pathname: string; hash: string }): string | null {
  // Only the symbols of a code: the page shows commands with it, which people copy.
  return pathname === PATH
    ? hash
        .slice(1)
        .replaceAll(/[^0-9A-Za-z-]/g, "")
        .slice(0, 64)
    : null;
}
