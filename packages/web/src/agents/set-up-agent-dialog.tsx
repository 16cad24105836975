import type { SetupCodeResponse } from "@parley/protocol/setup-codes";
import { useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { ADMINISTRATOR, useLevel, useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { AgentForm } from "./agent-form.tsx";
import { MadeSetupCode } from "./made-setup-code.tsx";

/** Makes a setup code for an agent that does not exist yet: for the user, or, if an administrator asks, for anybody. */
export function SetUpAgentDialog({ onClose }: { onClose(): void }) {
  const parley = useParley();
  const isAdministrator = useLevel() >= ADMINISTRATOR;
  const { setup: texts } = useWindowTexts();
  const [made, setMade] = useState<SetupCodeResponse | null>(null);
  return (
    <Dialog title={made === null ? texts.begin : texts.titleFor(made.agent_name ?? "")} onClose={onClose}>
      {made === null ? (
        <AgentForm
          texts={texts}
          submit={texts.make}
          byLevel={isAdministrator}
          send={async (body) => setMade(await parley.client.agents.setupCodeByName(body))}
        />
      ) : (
        <MadeSetupCode made={made} onClose={onClose} />
      )}
    </Dialog>
  );
}
