import type { InteractionKind } from "@parley/protocol/cards";

/** A press that counted. */
export interface Press {
  id: number;
  /** null: the account was erased. */
  userId: number | null;
  action: string;
}

/** The effect of a new press: it decided, or it was only noted. */
export type Outcome = "decided" | "noted";

/**
 * Returns what the last of these presses does to an open interaction (protocol §12.6): the first press decides a choice; one
 * `deny` decides an approval, and `approve` when as many different people as the quorum approve; an open card is never
 * decided.
 */
export function outcomeOf(kind: InteractionKind, quorum: number, presses: readonly Press[]): Outcome {
  const last = presses.at(-1);
  if (last === undefined || kind === "open") return "noted";
  if (kind === "choice" || last.action === "deny") return "decided";
  // An erased person's vote no longer counts: nobody can be asked about it.
  const voters = new Set(presses.flatMap(({ userId, action }) => (action === "approve" ? (userId ?? []) : [])));
  return voters.size >= quorum ? "decided" : "noted";
}

/** Returns the last press of each person, oldest first. Those of erased people stay apart. */
export function lastOfEach<P extends Press>(presses: readonly P[]): P[] {
  const last = new Map<string, P>();
  for (const press of presses) {
    const key = press.userId === null ? `press ${press.id}` : `user ${press.userId}`;
    last.delete(key);
    last.set(key, press);
  }
  return [...last.values()];
}
