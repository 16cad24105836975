import type { Activity } from "@parley/protocol/activity";
import type { ActivityTexts } from "../../i18n/hooks/use-activity-texts.ts";

/** The state of an act as the page shows it. */
export type ActState = Activity["status"] | "unknown";

/** More names of files would not fit into the line. */
const NAMES_SHOWN = 2;

/** Returns the state of an act. One that has not ended with its message is not running: the agent did not say how it ended. */
export const stateOf = ({ status }: Activity, isGrowing: boolean): ActState =>
  status === "running" && !isGrowing ? "unknown" : status;

/** Returns the state of all acts together, for the mark of the line. */
export function stateOfAll(acts: readonly Activity[], isGrowing: boolean): ActState {
  const states = acts.map((act) => stateOf(act, isGrowing));
  const order: ActState[] = ["running", "failed", "denied", "unknown"];
  return order.find((state) => states.includes(state)) ?? "ok";
}

/** Says what was done in one line: "3 reads, 1 edit: config.json · 1 failed". */
export function summaryOf(acts: readonly Activity[], texts: ActivityTexts): string {
  const counts = new Map<Activity["kind"], number>();
  for (const { kind } of acts) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  // Edits are last, because their files follow.
  const kinds = [...counts].sort(([one], [other]) => Number(one === "edit") - Number(other === "edit"));
  const done = texts.counts(kinds.map(([kind, count]) => (texts.kinds[kind] ?? texts.kinds.other)(count)));
  const edited = acts.flatMap(({ kind, target }) => (kind === "edit" && target !== undefined ? nameOf(target) : []));
  const names = [...new Set(edited)];
  const countOf = (status: Activity["status"]) => acts.filter((act) => act.status === status).length;
  const [failed, denied] = [countOf("failed"), countOf("denied")];
  return [
    names.length > 0 && names.length <= NAMES_SHOWN ? `${done}: ${names.join(", ")}` : done,
    ...(failed === 0 ? [] : [texts.failed(failed)]),
    ...(denied === 0 ? [] : [texts.denied(denied)]),
  ].join(" · ");
}

/** Returns the last part of a path. */
const nameOf = (target: string): string => target.split(/[\\/]/).findLast((part) => part !== "") ?? target;
