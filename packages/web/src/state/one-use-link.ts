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
export const oneUseLink = ({ pathname, hash }: { pathname: string; hash: string }): OneUseLink | null =>
  isPath(pathname) ? { window: "link", path: pathname, token: hash.slice(1) } : null;

const isPath = (path: string): path is OneUseLink["path"] => /^\/(reset|claim-account|confirm-address)$/.test(path);
