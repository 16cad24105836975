import { createContext } from "react";

/** Asks whether what is shown may go. */
export type LeaveGuard = () => Promise<boolean>;

/** The guards that a dialog asks before it closes or changes its tab; null outside of dialogs. */
export const LeaveGuards = createContext<Set<LeaveGuard> | null>(null);

/** Resolves to true if nothing of a dialog objects to its end. */
export async function mayLeave(guards: ReadonlySet<LeaveGuard> | null): Promise<boolean> {
  for (const guard of guards ?? []) if (!(await guard())) return false;
  return true;
}
