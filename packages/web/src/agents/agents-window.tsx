import type { OwnedAgent } from "@parley/protocol/claims";
import { useCallback } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import type { ShownAgent } from "../session/open-dialog.ts";
import { ADMINISTRATOR, useLevel, useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { useSite } from "../session/use-site.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ListEnd } from "../ui/list-end.tsx";
import { AgentCard } from "./agent-card.tsx";
import { NewAgentButton } from "./new-agent-button.tsx";

/** The user's agents and their API keys. */
export function AgentsWindow({ show, onClose }: { show?: ShownAgent | undefined; onClose(): void }) {
  const parley = useParley();
  const { app, account } = useTexts();
  const { agents: texts, setup } = useWindowTexts();
  const level = useLevel();
  const site = useSite();
  // A node of an older release does not say how many, and sets up none.
  const mayBegin = level >= ADMINISTRATOR || (site?.agents_per_user ?? 0) > 0;
  const { client } = parley;
  const load = useCallback(
    async (offset: number | undefined) => {
      const { agents, next_offset } = await client.agents.list({ offset });
      return { items: agents, next: next_offset };
    },
    [client],
  );
  const list = useList<OwnedAgent>(load);
  return (
    <Dialog title={account.agents} onClose={onClose}>
      <p className="hint">
        {texts.hint} <a href="/claim">{app.claim}</a>
      </p>
      <div className="row">
        {level >= ADMINISTRATOR && <NewAgentButton />}
        {mayBegin && (
          <button
            type="button"
            className={level >= ADMINISTRATOR ? "secondary" : undefined}
            onClick={() => parley.openDialog.set({ window: "set up agent" })}
          >
            {setup.begin}
          </button>
        )}
      </div>
      {list.items?.map((agent) => (
        <AgentCard
          key={agent.agent_id}
          agent={agent}
          show={show !== undefined && agent.agent_names.includes(show.name) ? show.reason : undefined}
          onChanged={list.reload}
        />
      ))}
      <ListEnd list={list} none={texts.none} />
    </Dialog>
  );
}
