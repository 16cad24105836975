const PATH = "/reset";

/** Returns the token of the reset link that the page was opened with; null: it was opened at another address. */
export function resetToken({ pathname, hash }: { pathname: string; hash: string }): string | null {
  return pathname === PATH ? hash.slice(1) : null;
}
