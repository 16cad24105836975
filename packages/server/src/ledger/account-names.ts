/** The currency of points; the ledger also holds others. */
export const POINTS = "points";

/** The system accounts that pay a new user's initial points and the points earned by activity. */
export const GRANTS = "system:grants";
export const ACTIVITY = "system:activity";

/** The system account that receives the points of deleted accounts. */
export const ERASED = "system:erased";

export const userAccount = (userId: number): string => `user:${userId}`;

/**
 * Returns true for system accounts, where value enters and leaves the ledger. They may owe any amount and have no
 * stored balance.
 */
export const isSystemAccount = (account: string): boolean => account.startsWith("system:");
