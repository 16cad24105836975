import type { OwnedAgent } from "@parley/protocol/claims";
import { USERNAME_MAX } from "@parley/protocol/limits";
import { useCallback, useState } from "react";
import { AgentCard } from "../agents/agent-card.tsx";
import { NewAgentButton } from "../agents/new-agent-button.tsx";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { ListEnd } from "../ui/list-end.tsx";
import { Select } from "../ui/select.tsx";
import { SearchField } from "./search-field.tsx";

/** Filters of the list. */
const FILTERS = { all: {}, paused: { paused: true } } as const;
type Which = keyof typeof FILTERS;

/** The agents of all users, with their keys: creates, pauses and revokes. */
export function AgentsTab() {
  const parley = useParley();
  const { admin: texts } = useWindowTexts();
  const [prefix, setPrefix] = useState("");
  const [which, setWhich] = useState<Which>("all");
  const { admin } = parley.client;
  const load = useCallback(
    async (offset: number | undefined) => {
      const { agents, next_offset } = await admin.agents({ ...FILTERS[which], prefix: prefix || undefined, offset });
      return { items: agents, next: next_offset };
    },
    [admin, prefix, which],
  );
  const list = useList<OwnedAgent>(load);
  return (
    <>
      <div className="filters">
        <SearchField label={texts.searchAgents} value={prefix} maxLength={USERNAME_MAX} onValue={setPrefix} />
        <Select
          label={texts.show}
          choices={texts.whichAgents}
          value={which}
          onChange={(event) => setWhich(event.target.value as Which)}
        />
        <NewAgentButton />
      </div>
      {list.items?.map((agent) => (
        <AgentCard key={agent.agent_id} agent={agent} byLevel onChanged={list.reload} />
      ))}
      <ListEnd list={list} none={texts.noAgents} />
    </>
  );
}
