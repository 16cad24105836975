import type { CreateAgentResponse } from "@parley/protocol/claims";
import { newIdempotencyKey } from "@parley/sdk";
import { useLayoutEffect, useRef, useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { AgentForm } from "./agent-form.tsx";
import { IssuedKey } from "./issued-key.tsx";

/** Creates an agent for the administrator or another user, and then shows its key once. */
export function NewAgentDialog({ onClose }: { onClose(): void }) {
  const { newAgent: texts } = useWindowTexts();
  const [made, setMade] = useState<Made | null>(null);
  return (
    <Dialog title={made === null ? texts.title : made.agent.agent_names.join(", ")} onClose={onClose}>
      {made === null ? <NewAgentForm onMade={setMade} /> : <MadeAgent made={made} onClose={onClose} />}
    </Dialog>
  );
}

/** A new agent, and the slugs of the channels to which its key is limited. */
type Made = CreateAgentResponse & { limit: readonly string[] | null };

function NewAgentForm({ onMade }: { onMade(made: Made): void }) {
  const parley = useParley();
  const { newAgent: texts } = useWindowTexts();
  // A second press after a lost response finds the agent of the first.
  const once = useRef(newIdempotencyKey());
  return (
    <AgentForm
      texts={texts}
      submit={texts.create}
      byLevel
      // Another password confirms the same agent.
      onChange={(field) => {
        if (field !== "current") once.current = newIdempotencyKey();
      }}
      send={async (body) => {
        const made = await parley.client.agents.create(body, { idempotencyKey: once.current });
        onMade({ ...made, limit: body.channels ?? null });
      }}
    />
  );
}

function MadeAgent({ made, onClose }: { made: Made; onClose(): void }) {
  const parley = useParley();
  const self = useSelf();
  const { account } = useTexts();
  const { newAgent: texts } = useWindowTexts();
  const done = useRef<HTMLParagraphElement>(null);
  // The button that had the focus is gone.
  useLayoutEffect(() => done.current?.focus(), []);
  const { api_key, agent } = made;
  const name = agent.agent_names[0] ?? texts.title;
  return (
    <>
      <p ref={done} tabIndex={-1}>
        {api_key === null ? texts.keyLost : texts.made(name)}
      </p>
      {api_key !== null && (
        <IssuedKey label={texts.key} agentId={agent.agent_id} apiKey={api_key} name={name} limit={made.limit} />
      )}
      <div className="row">
        <button type="button" onClick={onClose}>
          {texts.done}
        </button>
        {agent.owner_username === self && (
          <button type="button" className="secondary" onClick={() => parley.openDialog.set({ window: "agents" })}>
            {account.agents}
          </button>
        )}
      </div>
    </>
  );
}
