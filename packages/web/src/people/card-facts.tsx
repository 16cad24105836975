import type { UserResponse } from "@parley/protocol/accounts";
import type { AgentProfileResponse } from "@parley/protocol/agents";
import type { Silence } from "@parley/protocol/silences";
import type { ActorKind } from "@parley/protocol/values";
import { ParleyError } from "@parley/sdk";
import { useCallback, useEffect, useRef, useState } from "react";
import { dateOf, momentOf } from "../i18n/date-format.ts";
import { useImportTexts } from "../i18n/hooks/use-import-texts.ts";
import { useNavigationTexts } from "../i18n/hooks/use-navigation-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { usePresence } from "./presence-dot.tsx";
import { SilenceText } from "./silence-text.tsx";

interface Props {
  kind: ActorKind;
  name: string;
  /** Receives an agent's record. */
  onAgent(agent: AgentProfileResponse): void;
}

/** The facts about a person or agent that the server reports. */
export function CardFacts({ kind, name, onAgent }: Props) {
  return kind === "agent" ? <AgentFacts name={name} onAgent={onAgent} /> : <UserFacts name={name} />;
}

function UserFacts({ name }: { name: string }) {
  const parley = useParley();
  const { card: texts } = useNavigationTexts();
  const imports = useImportTexts();
  const load = useCallback(() => parley.client.accounts.user(name), [parley, name]);
  const user = useFacts<UserResponse>(load);
  const isOnline = usePresence(name);
  if (user === "gone") return <p className="facts">{texts.gone}</p>;
  if (user === null) return <p className="facts">{texts.loading}</p>;
  const { admin_level, evm_address, sol_address } = user;
  return (
    <ul className="facts">
      <li>
        {isOnline ? texts.online : texts.offline} · {texts.level(user.honor_level)}
        {admin_level !== null && ` · ${texts.siteLevels[admin_level as 1 | 2 | 3]}`}
      </li>
      {/* A node of the release before does not say it. */}
      <li>{user.claimed === false ? imports.notClaimed : texts.since(dateOf(user.created_at))}</li>
      {evm_address !== null && <Address label={texts.evm} address={evm_address} />}
      {sol_address !== null && <Address label={texts.solana} address={sol_address} />}
    </ul>
  );
}

function Address({ label, address }: { label: string; address: string }) {
  return (
    <li>
      {label} <code>{address}</code>
    </li>
  );
}

function AgentFacts({ name, onAgent }: Omit<Props, "kind">) {
  const parley = useParley();
  const self = useSelf();
  const { card: texts } = useNavigationTexts();
  const told = useRef(onAgent);
  const load = useCallback(async () => {
    const agent = await parley.client.agents.profile(name);
    told.current(agent);
    return agent;
  }, [parley, name]);
  const agent = useFacts<AgentProfileResponse>(load);
  const silences = useSilenceHere(name);
  // The name that agents without one share has no record.
  if (agent === "gone") return null;
  if (agent === null) return <p className="facts">{texts.loading}</p>;
  const { owner_username: owner, last_seen_at } = agent;
  return (
    <ul className="facts">
      {owner !== null && <li>{owner === self ? texts.yours : texts.agentOf(owner)}</li>}
      <li>{last_seen_at === null ? texts.neverActive : texts.active(momentOf(last_seen_at))}</li>
      {silences.length > 0 && (
        <li>
          <SilenceText silences={silences} />
        </li>
      )}
      <li>{texts.since(dateOf(agent.created_at))}</li>
    </ul>
  );
}

/** Returns why the agent cannot answer in the channel that is shown; empty: it can. */
function useSilenceHere(name: string): readonly Silence[] {
  const parley = useParley();
  const [silences, setSilences] = useState<readonly Silence[]>([]);
  useEffect(() => {
    const channel = parley.channelAt(parley.route.get());
    if (channel === undefined) return;
    parley.client.channels.silences(channel.id).then(
      (read) => setSilences(read.silences.filter(({ agent_name }) => agent_name === name)),
      // An older node has no list, and the channel may not be readable. The card does without.
      () => {},
    );
  }, [parley, name]);
  return silences;
}

/** Returns what is loaded; null until then, and `gone` if there is no such person or agent. */
function useFacts<T>(load: () => Promise<T>): T | null | "gone" {
  const parley = useParley();
  const [facts, setFacts] = useState<T | null | "gone">(null);
  useEffect(() => {
    const failed = (error: unknown) => {
      const isGone = error instanceof ParleyError && error.status === 404;
      if (isGone) setFacts("gone");
      else parley.showError(error);
    };
    return retryUntilDone(async () => setFacts(await load()), failed);
  }, [parley, load]);
  return facts;
}
