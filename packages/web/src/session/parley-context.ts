import { createContext, useContext } from "react";
import { useStore } from "../state/store.ts";
import type { Parley } from "./parley.ts";

export const ParleyContext = createContext<Parley | null>(null);

/** Returns the page's state and actions. */
export function useParley(): Parley {
  const parley = useContext(ParleyContext);
  if (parley === null) throw new Error("A component stands outside of ParleyContext.");
  return parley;
}

/** Returns the user's name; null for a guest. */
export function useSelf(): string | null {
  const session = useStore(useParley().session);
  return session.state === "user" ? session.user.username : null;
}

/** The site level of administrators. The server enforces the permissions. */
export const ADMINISTRATOR = 2;

/** Returns the user's site level: 0 none, 1 moderator, 2 administrator, 3 owner. */
export function useLevel(): number {
  const session = useStore(useParley().session);
  return session.state === "user" ? (session.user.admin_level ?? 0) : 0;
}
