import type { OwnedAgent } from "@parley/protocol/claims";
import type { DmPolicy } from "@parley/protocol/values";
import { ParleyError } from "@parley/sdk";
import { KeyClaims } from "@parley/sdk/groups";
import { useEffect, useRef, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import type { WindowTexts } from "../i18n/texts.ts";
import { UserFacingError } from "../i18n/user-facing-error.ts";
import { useParley } from "../session/parley-context.ts";
import { channelHref } from "../state/route.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { Section } from "../ui/section.tsx";
import { Select } from "../ui/select.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { AgentKeys } from "./agent-keys.tsx";
import { BudgetsDialog } from "./budgets-dialog.tsx";
import { IssuedKey } from "./issued-key.tsx";
import { RotateKeyDialog } from "./rotate-key-dialog.tsx";
import { SetupCodeDialog } from "./setup-code-dialog.tsx";
import { TelegramSetup } from "./telegram-setup.tsx";

/** The name of agents without one of their own, which all share. */
const SHARED_NAME = "PlatformAgent";

interface Props {
  agent: OwnedAgent;
  /** True for administrators, who see every agent with its owner. */
  byLevel?: boolean;
  /** Why the user came to see this agent: it is scrolled to, and with `budget` its budgets are open. */
  show?: string | undefined;
  onChanged(): void;
}

/** An agent: its channels, its keys, and the actions of its owner or an administrator. */
export function AgentCard({ agent, byLevel = false, show, onChanged }: Props) {
  const parley = useParley();
  const { agents: texts, budgets, setup, webhooks: webhookTexts } = useWindowTexts();
  const action = useAction();
  const [newKey, setNewKey] = useState<string | null>(null);
  const [isRotating, setRotating] = useState(false);
  const [isBudgeting, setBudgeting] = useState(show === "budget");
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (show !== undefined) place.current?.scrollIntoView();
  }, [show]);
  const [isSettingUp, setSettingUp] = useState(false);
  const { agents } = parley.client;
  const claims = parley.client.group(KeyClaims);
  const name = agent.agent_names.join(", ") || texts.unnamed(agent.agent_id);
  const run = (what: () => Promise<unknown>) => action.run(what).then((isDone) => isDone && onChanged());
  const resume = () =>
    agents.resume(agent.agent_id).catch((error: unknown) => {
      // Owners cannot resume an agent that a moderator paused.
      const isHeld = error instanceof ParleyError && error.code === "forbidden";
      throw isHeld ? new UserFacingError(texts.held) : error;
    });
  const webhooks = () => parley.openDialog.set({ window: "webhooks", owner: { agent_id: agent.agent_id, name } });
  const disown = async () => {
    const question = { title: name, text: texts.disownSure(name), action: texts.disown };
    if (await parley.confirm.ask(question)) await run(() => agents.disown(agent.agent_id));
  };
  return (
    <Section title={name}>
      <div ref={place} />
      <p className="hint">
        <span className={`state ${agent.paused ? "refused" : "granted"}`}>
          {agent.paused ? texts.paused : texts.active}
        </span>{" "}
        {[
          ...(byLevel ? [ownerOf(agent, texts)] : []),
          agent.last_seen_at === null ? texts.neverSeen : texts.seen(momentOf(agent.last_seen_at)),
          ...(agent.message_count === null ? [] : [texts.messages(agent.message_count)]),
        ].join(" · ")}
      </p>
      {agent.channels !== null && agent.channels.length > 0 && <Places channels={agent.channels} />}
      {newKey !== null && (
        <IssuedKey
          label={texts.newKey}
          agentId={agent.agent_id}
          apiKey={newKey}
          limit={agent.keys?.at(-1)?.channels ?? null}
          name={agent.agent_names[0] ?? SHARED_NAME}
          onChanged={onChanged}
        />
      )}
      {agent.keys === null ? (
        <p className="hint">{texts.unverified}</p>
      ) : (
        <>
          <AgentKeys
            keys={agent.keys}
            name={name}
            isBusy={action.isBusy}
            onRevoke={(id) => void run(() => claims.revoke(id))}
          />
          <Select
            label={texts.talksWith}
            choices={texts.dmPolicies}
            value={agent.dm_policy}
            disabled={action.isBusy}
            onChange={({ currentTarget: { value } }) =>
              void run(() => agents.update(agent.agent_id, { dm_policy: value as DmPolicy }))
            }
          />
          <label className="choice">
            <input
              type="checkbox"
              checked={agent.telegram_privacy}
              disabled={action.isBusy}
              onChange={({ currentTarget: { checked } }) =>
                void run(() => agents.update(agent.agent_id, { telegram_privacy: checked }))
              }
            />
            {texts.telegramPrivacy}
          </label>
          {newKey === null && <TelegramSetup agentId={agent.agent_id} apiKey={null} onChanged={onChanged} />}
          <div className="row">
            <button
              type="button"
              className="secondary"
              disabled={action.isBusy}
              onClick={() => void run(() => (agent.paused ? resume() : agents.pause(agent.agent_id)))}
            >
              {agent.paused ? texts.resume : texts.pause}
            </button>
            <button type="button" className="secondary" disabled={action.isBusy} onClick={() => setRotating(true)}>
              {texts.rotate}
            </button>
            <button type="button" className="secondary" onClick={() => setBudgeting(true)}>
              {budgets.open}
            </button>
            {!byLevel && (
              <button type="button" className="secondary" onClick={() => setSettingUp(true)}>
                {setup.open}
              </button>
            )}
            {!byLevel && (
              <button type="button" className="secondary" onClick={webhooks}>
                {webhookTexts.title}
              </button>
            )}
            {!byLevel && (
              <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void disown()}>
                {texts.disown}
              </button>
            )}
          </div>
        </>
      )}
      {agent.keys === null && (
        <button type="button" className="secondary danger" disabled={action.isBusy} onClick={() => void disown()}>
          {texts.disown}
        </button>
      )}
      <ErrorLine text={action.error} />
      {isBudgeting && (
        <DialogBoundary onClose={() => setBudgeting(false)}>
          <BudgetsDialog agentId={agent.agent_id} name={name} byLevel={byLevel} onClose={() => setBudgeting(false)} />
        </DialogBoundary>
      )}
      {isSettingUp && (
        <DialogBoundary onClose={() => setSettingUp(false)}>
          <SetupCodeDialog name={name} agentId={agent.agent_id} onClose={() => setSettingUp(false)} />
        </DialogBoundary>
      )}
      {isRotating && (
        <DialogBoundary onClose={() => setRotating(false)}>
          <RotateKeyDialog
            name={name}
            agentId={agent.agent_id}
            held={agent.keys?.at(-1)}
            onClose={() => setRotating(false)}
            onKey={(key) => {
              setRotating(false);
              setNewKey(key);
              onChanged();
            }}
          />
        </DialogBoundary>
      )}
    </Section>
  );
}

function ownerOf({ owner_username, owner_verified }: OwnedAgent, texts: WindowTexts["agents"]): string {
  if (owner_username === null) return texts.noOwner;
  return owner_verified ? texts.ownedBy(owner_username) : texts.labelOf(owner_username);
}

/** Links to the agent's current or former channels. */
function Places({ channels }: { channels: NonNullable<OwnedAgent["channels"]> }) {
  const parley = useParley();
  const { agents: texts } = useWindowTexts();
  return (
    <ul className="places" aria-label={texts.places}>
      {channels.map(({ channel_id, channel_slug, is_online, message_count }) => (
        <li key={channel_id} data-online={is_online ? "" : undefined}>
          <a href={channelHref(channel_slug)} onClick={() => parley.openDialog.set(null)}>
            #{channel_slug}
          </a>{" "}
          <span className="muted">
            {is_online && `${texts.online} · `}
            {texts.messages(message_count)}
          </span>
        </li>
      ))}
    </ul>
  );
}
