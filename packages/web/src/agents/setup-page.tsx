import type { LookAtSetupCodeResponse } from "@parley/protocol/setup-codes";
import { useEffect, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { SetupSnippets } from "./setup-snippets.tsx";

/** The page of a setup code, which says what the agent may do and how to use the code. It never uses the code. */
export function SetupPage({ code, onClose }: { code: string; onClose(): void }) {
  const parley = useParley();
  const { setup: texts } = useWindowTexts();
  const { run, error } = useAction();
  const [found, setFound] = useState<LookAtSetupCodeResponse | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try counts, so a code is read once
  useEffect(() => {
    if (code !== "") void run(async () => setFound(await parley.client.agents.lookAtSetupCode(code)));
  }, [code]);
  return (
    <Dialog title={texts.page} onClose={onClose}>
      {code === "" && <p>{texts.noCode}</p>}
      {code !== "" && found === null && error === null && <p>{texts.looking}</p>}
      <ErrorLine text={error} />
      {found !== null && <Found code={code} found={found} />}
    </Dialog>
  );
}

function Found({ code, found }: { code: string; found: LookAtSetupCodeResponse }) {
  const parley = useParley();
  const { setup: texts, budgets, telegram } = useWindowTexts();
  const { agent_name, owner_username, scopes, channels, key_expires_at, expires_at } = found;
  const address = `${parley.client.url}/setup#${code}`;
  const facts = [
    agent_name === null ? texts.forUnnamed : texts.forAgent(agent_name),
    ...(owner_username === null ? [] : [texts.ownedBy(owner_username)]),
    scopes === null ? texts.mayAll : texts.may(scopes.map((scope) => budgets.scopeNames[scope]).join(", ")),
    channels === null ? texts.everywhere : texts.onlyIn(channels.map((slug) => `#${slug}`).join(", ")),
    ...(key_expires_at === null ? [] : [texts.keyEnds(momentOf(key_expires_at))]),
    texts.until(momentOf(expires_at)),
  ];
  return (
    <div className="stack">
      <ul>
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      <CopyField label={texts.address} value={address} hint={texts.howTo} />
      <SetupSnippets code={code} />
      <p className="hint">{telegram.afterCode}</p>
    </div>
  );
}
