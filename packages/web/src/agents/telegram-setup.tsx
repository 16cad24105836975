import type { AgentTelegramResponse } from "@parley/protocol/inbox";
import type { DmPolicy } from "@parley/protocol/values";
import { useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";

interface Props {
  agentId: number;
  /** A key that was just made; null: the page knows none, because keys are shown once. */
  apiKey: string | null;
  /** Called when the agent was changed. */
  onChanged?: (() => void) | undefined;
}

interface Facts {
  telegram: AgentTelegramResponse["telegram"];
  /** The users who may write to it directly; null: it has no name. */
  policy: DmPolicy | null;
}

/** The token and the addresses for a bot that was made for Telegram. They are read when the section is opened. */
export function TelegramSetup({ agentId, apiKey, onChanged }: Props) {
  const { agents } = useParley().client;
  const { telegram: texts } = useWindowTexts();
  const { run, error } = useAction();
  const [facts, setFacts] = useState<Facts | null>(null);
  const load = async () => {
    const { telegram } = await agents.telegram(agentId);
    const [bot] = telegram?.bots ?? [];
    setFacts({ telegram, policy: bot === undefined ? null : (await agents.profile(bot.agent_name)).dm_policy });
  };
  const letAnybody = async () => {
    await agents.update(agentId, { dm_policy: "everyone" });
    await load();
    onChanged?.();
  };
  return (
    <details className="snippet" onToggle={({ currentTarget }) => currentTarget.open && void run(load)}>
      <summary>{texts.title}</summary>
      <div className="stack">
        {facts?.telegram === null ? <p>{texts.off}</p> : <p className="hint">{texts.hint}</p>}
        {facts?.telegram != null && <Tokens telegram={facts.telegram} apiKey={apiKey} />}
        {facts?.policy === "everyone" && <p className="hint">{texts.anybodyMay}</p>}
        {(facts?.policy === "owner" || facts?.policy === "nobody") && (
          <>
            <p className="hint">{texts.policies[facts.policy]}</p>
            <button type="button" className="secondary" onClick={() => void run(letAnybody)}>
              {texts.letAnybody}
            </button>
          </>
        )}
        <ErrorLine text={error} />
      </div>
    </details>
  );
}

type Telegram = NonNullable<AgentTelegramResponse["telegram"]>;

function Tokens({ telegram: { bots, api_root }, apiKey }: { telegram: Telegram; apiKey: string | null }) {
  const { telegram: texts } = useWindowTexts();
  return (
    <>
      {bots.length === 0 && <p>{texts.noName}</p>}
      {bots.map(({ agent_name, bot_id }) => (
        <CopyField
          key={bot_id}
          label={bots.length === 1 ? texts.token : texts.tokenOf(agent_name)}
          value={`${bot_id}:${apiKey ?? texts.yourKey}`}
          {...(apiKey === null ? { hint: texts.tokenHint } : {})}
        />
      ))}
      <CopyField label={texts.root} value={api_root} />
      {programLines(api_root).map(([program, line]) => (
        <CopyField key={program} label={program} value={line} />
      ))}
    </>
  );
}

/** Where programs take the root of the addresses, each with a line to copy. */
const programLines = (root: string): readonly (readonly [program: string, line: string])[] => [
  ["grammY", `new Bot(token, { client: { apiRoot: "${root}" } })`],
  // It joins the root and the path without a slash of its own.
  ["Telegraf", `new Telegraf(token, { telegram: { apiRoot: "${root}/" } })`],
  ["OpenClaw", `channels.telegram.apiRoot: "${root}"`],
  // These two are the addresses of python-telegram-bot, to which it appends the token.
  ["Hermes", `platforms.telegram.extra.base_url: "${root}/bot"`],
  ["Hermes (files)", `platforms.telegram.extra.base_file_url: "${root}/file/bot"`],
  ["Alertmanager", `api_url: ${root}`],
  ["n8n (Base URL)", root],
];
