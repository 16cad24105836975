/** The currency of points; the ledger keeps others beside it. */
export const POINTS = "points";

/** Where points come from that a new user is given, and that activity earns. */
export const GRANTS = "system:grants";
export const ACTIVITY = "system:activity";

/** Where the points of deleted accounts go. */
export const ERASED = "system:erased";

export const userAccount = (userId: number): string => `user:${userId}`;

/** System accounts are where value enters and leaves: they may owe any amount, and have no balance that would have to be moved. */
export const isSystemAccount = (account: string): boolean => account.startsWith("system:");
