import { useContext, useEffect } from "react";
import type { Question } from "../state/confirm.ts";
import { LeaveGuards } from "../ui/leave-guards.ts";
import { useParley } from "./parley-context.ts";

/** Asks this before a dialog, its tab or the page goes. null: nothing would be lost. */
export function useAskBefore(question: Question | null): void {
  const parley = useParley();
  const guards = useContext(LeaveGuards);
  const { title = "", text = "", action = "" } = question ?? {};
  const isAsked = question !== null;
  useEffect(() => {
    if (!isAsked) return;
    const guard = () => parley.confirm.ask({ title, text, action });
    const unload = (event: Event) => event.preventDefault();
    guards?.add(guard);
    addEventListener("beforeunload", unload);
    return () => {
      guards?.delete(guard);
      removeEventListener("beforeunload", unload);
    };
  }, [parley, guards, title, text, action, isAsked]);
}
