import type { OwnedAgent } from "@parley/protocol/claims";
import type { ApiKey } from "@parley/protocol/records";
import { useState } from "react";
import { CopyField } from "../app/copy-field.tsx";
import { useParley } from "../app/parley-context.ts";
import { Section } from "../app/section.tsx";
import { useAct } from "../app/use-act.ts";
import { momentOf } from "../messages/times.ts";
import { useWindowTexts } from "../texts/window-texts.ts";

/** One agent: where it is at work, its keys, and what its owner can do. */
export function AgentCard({ agent, onChanged }: { agent: OwnedAgent; onChanged(): void }) {
  const parley = useParley();
  const { agents: texts } = useWindowTexts();
  const act = useAct();
  const [newKey, setNewKey] = useState<string | null>(null);
  const { claims } = parley.client;
  const name = agent.agent_names.join(", ") || texts.unnamed(agent.agent_id);
  const run = (what: () => Promise<unknown>) => act.run(what).then((isDone) => isDone && onChanged());
  const rotate = async () => {
    if (!(await parley.sure.ask({ title: name, text: texts.rotateSure(name), act: texts.rotate }))) return;
    await run(async () => setNewKey((await claims.rotate({ agent_id: agent.agent_id })).api_key));
  };
  const revoke = async ({ key_id, key_prefix }: ApiKey) => {
    const question = { title: name, text: texts.revokeSure(key_prefix), act: texts.revoke };
    if (await parley.sure.ask(question)) await run(() => claims.revoke(key_id));
  };
  return (
    <Section title={name}>
      <p className="hint">
        {[
          agent.paused ? texts.paused : texts.active,
          agent.last_seen_at === null ? texts.neverSeen : texts.seen(momentOf(agent.last_seen_at)),
          ...(agent.message_count === null ? [] : [texts.messages(agent.message_count)]),
        ].join(" · ")}
      </p>
      {agent.channels !== null && agent.channels.length > 0 && (
        <p className="hint">{agent.channels.map(({ channel_slug }) => `#${channel_slug}`).join(" ")}</p>
      )}
      {newKey !== null && <CopyField label={texts.newKey} value={newKey} hint={texts.newKeyHint} />}
      {agent.keys === null ? (
        <p className="hint">{texts.unverified}</p>
      ) : (
        <>
          <Keys keys={agent.keys} isBusy={act.isBusy} onRevoke={(key) => void revoke(key)} />
          <div className="row">
            <button
              type="button"
              className="quiet"
              disabled={act.isBusy}
              onClick={() =>
                void run(() => (agent.paused ? claims.resume(agent.agent_id) : claims.pause(agent.agent_id)))
              }
            >
              {agent.paused ? texts.resume : texts.pause}
            </button>
            <button type="button" className="quiet" disabled={act.isBusy} onClick={() => void rotate()}>
              {texts.rotate}
            </button>
          </div>
        </>
      )}
      <p className="error" role="alert">
        {act.error}
      </p>
    </Section>
  );
}

function Keys({ keys, isBusy, onRevoke }: { keys: readonly ApiKey[]; isBusy: boolean; onRevoke(key: ApiKey): void }) {
  const { agents: texts } = useWindowTexts();
  return (
    <ul className="lines" aria-label={texts.keys}>
      {keys.map((key) => (
        <li key={key.key_id}>
          <span>
            <code>{key.key_prefix}…</code>
            <span className="soft">
              {texts.made(momentOf(key.created_at))}
              {key.last_used_at !== null && ` · ${texts.used(momentOf(key.last_used_at))}`}
            </span>
          </span>
          {key.revoked_at === null ? (
            <button
              type="button"
              className="quiet danger"
              disabled={isBusy}
              aria-label={`${texts.revoke}: ${key.key_prefix}`}
              onClick={() => onRevoke(key)}
            >
              {texts.revoke}
            </button>
          ) : (
            <span className="soft">{texts.revoked(momentOf(key.revoked_at))}</span>
          )}
        </li>
      ))}
    </ul>
  );
}
