import { useEffect, useRef, useState } from "react";
import { talksWith } from "../people/talks-with.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import type { Known } from "./switch-entries.ts";

/** A name is looked up when the user has not typed for this long. */
const PAUSE_MS = 200;
/** Agents of the online lists that are looked up. */
const MET_MAX = 20;

/**
 * Returns the agents that have direct conversations with the user: of those that the page knows, and by the exact name
 * that is typed. `typed` is null while nobody wants to know.
 */
export function useTalkingAgents(met: readonly Known[], typed: string | null): readonly Known[] {
  const parley = useParley();
  const self = useSelf();
  const [talking, setTalking] = useState<readonly Known[]>([]);
  const asked = useRef(new Set<string>());
  const name = typed?.replace(/^@/, "").trim() ?? "";
  const isWanted = typed !== null && self !== null;
  useEffect(() => {
    if (!isWanted) return;
    const look = (wanted: string) => {
      const key = wanted.toLowerCase();
      if (wanted === "" || asked.current.has(key)) return;
      asked.current.add(key);
      parley.client.agents.profile(wanted).then(
        (agent) => talksWith(agent, self) && setTalking((all) => [...all, { kind: "agent", name: agent.agent_name }]),
        // There is no such agent, or it is offered when the name is typed again.
        () => {},
      );
    };
    const agents = met.flatMap(({ kind, name }) => (kind === "agent" ? [name] : []));
    for (const each of [...new Set(agents)].slice(0, MET_MAX)) look(each);
    const timer = setTimeout(() => look(name), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [parley, self, met, name, isWanted]);
  return talking;
}
