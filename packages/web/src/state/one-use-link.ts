/**
 * A link that works once, with which the page was opened: to choose a new password, to claim an account, or to confirm an
 * address.
 */
export interface OneUseLink {
  window: "link";
  path: "/reset" | "/claim-account" | "/confirm-address";
  token: string;
}

/** Returns the link that the page was opened with; null: it was opened at another address. */
export const oneUseLink = ({ pathname: path, hash }: { pathname: string; hash: string }): OneUseLink | null =>
  path === "/reset" || path === "/claim-account" || path === "/confirm-address"
    ? { window: "link", path, token: hash.slice(1) }
    : null;
