import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useId } from "react";
import { useAtWorkTexts } from "../../i18n/hooks/use-at-work-texts.ts";
import { useCardTexts } from "../../i18n/hooks/use-card-texts.ts";
import { refusalOf } from "../../model/cards/card-rights.ts";
import type { ChannelSession } from "../../model/channel-session.ts";
import { useLevel, useSelf } from "../../session/parley-context.ts";
import { messageHref } from "../../state/route.ts";
import { Name } from "../avatar.tsx";
import { shortMoment } from "../silence-text.tsx";
import { SessionTitle, sessionHref } from "./session-title.tsx";
import { StopButton } from "./stop-button.tsx";
import { calls, useMayStop } from "./use-may-stop.ts";
import { useOwnerOf } from "./use-owner-of.ts";
import { useSessionList } from "./use-session-list.ts";

/** More that have ended are of no use here. */
const ENDED_SHOWN = 5;

const isOver = ({ state }: AgentSession): boolean => state === "done" || state === "failed";

/** The sessions of agents in the threads of a channel, with links to each thread and to the card that it waits for. */
export function AgentsAtWork({ channel, channelSession }: { channel: Channel; channelSession: ChannelSession }) {
  const texts = useAtWorkTexts();
  const { sessions, messages } = useSessionList(channelSession);
  const id = useId();
  const open = sessions.filter((session) => !isOver(session));
  const ended = sessions.filter(isOver).slice(0, ENDED_SHOWN);
  if (sessions.length === 0) return null;
  const entry = (session: AgentSession) => (
    <Entry
      key={`${session.agent_id} ${session.thread_root_id}`}
      session={session}
      channel={channel}
      root={messages.get(session.thread_root_id) ?? null}
      card={messages.get(session.interaction_id ?? 0) ?? null}
    />
  );
  return (
    <section className="at-work" aria-labelledby={id}>
      <h3 id={id}>{texts.title}</h3>
      {open.length > 0 ? <ul>{open.map(entry)}</ul> : <p className="hint">{texts.none}</p>}
      {ended.length > 0 && (
        <details>
          <summary>{texts.ended}</summary>
          <ul>{ended.map(entry)}</ul>
        </details>
      )}
    </section>
  );
}

interface EntryProps {
  session: AgentSession;
  channel: Channel;
  /** The message that began the thread; null: not known, or the reader sees no such message. */
  root: ChatMessage | null;
  /** The message with the card that the agent waits for. */
  card: ChatMessage | null;
}

function Entry({ session, channel, root, card }: EntryProps) {
  const texts = useAtWorkTexts();
  const { agent_id, agent_name, thread_root_id, state, since } = session;
  const href = sessionHref(session, channel);
  const question = useQuestion(session, channel, card);
  const isAsking = root !== null && calls(root, agent_name);
  const mayStop = useMayStop(channel, agent_name, isAsking ? [root] : []) && !isOver(session);
  const time = shortMoment(since);
  return (
    <li className="session" data-state={state}>
      <span>
        <Name name={agent_name} isAgent />
      </span>
      <span className="session-state">
        {state === "waiting" ? texts.waits(question.isOwn ? null : question.people, time) : texts.states[state](time)}
      </span>
      <a href={href}>
        <SessionTitle session={session} root={root} />
      </a>
      {(state === "waiting" || mayStop) && (
        <span className="session-actions">
          {state === "waiting" && (
            <a
              className="button"
              data-own={question.isOwn || undefined}
              href={card === null ? href : messageHref(card)}
            >
              {question.isOwn ? texts.answer : texts.question}
            </a>
          )}
          {mayStop && (
            <StopButton
              channelId={channel.id}
              agentName={agent_name}
              work={{ agent_id, thread_root_id }}
              className="secondary"
            />
          )}
        </span>
      )}
    </li>
  );
}

/** Returns whom the card of a session asks, and whether the reader is among them. */
function useQuestion(
  { agent_name }: AgentSession,
  channel: Channel,
  card: ChatMessage | null,
): { isOwn: boolean; people: string } {
  const self = useSelf();
  const level = useLevel();
  const { people } = useCardTexts();
  const interaction = card?.interaction;
  const asksOwner = interaction?.who.owner === true;
  const owner = useOwnerOf(asksOwner && self !== null ? agent_name : null);
  if (interaction === undefined) return { isOwn: false, people: "" };
  // Only the owner's card needs to know who that is.
  const who = { ...interaction.who, owner: asksOwner && owner === self };
  const refusal = refusalOf(
    { ...interaction, who },
    { self, level, role: channel.my_role, rule: channel.approval_rule ?? null },
  );
  return { isOwn: refusal === null, people: people(interaction.who) };
}
