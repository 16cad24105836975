import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { Channel } from "@parley/protocol/models";
import type { Silence } from "@parley/protocol/silences";
import { useEffect, useState } from "react";
import { useAtWorkTexts } from "../../i18n/hooks/use-at-work-texts.ts";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { shortMoment } from "../silence-text.tsx";
import { SessionTitle, sessionHref } from "./session-title.tsx";
import { useSessionList } from "./use-session-list.ts";
import { useWorkElsewhere } from "./use-work-elsewhere.ts";
import { hasBegun, type WaitingMention, waitingMentions, workOf } from "./waiting-mentions.ts";

/** An agent begins with a message within this time, unless it is busy. */
const TAKEN_MS = 3_000;

/**
 * Says for which agents a mention waits because they work on something else: in this channel, or, to whoever wrote the
 * mention, in another one of theirs. Why silent agents wait is said elsewhere.
 */
export function BusyAgents({ channel, silences }: { channel: Channel; silences: readonly Silence[] }) {
  const parley = useParley();
  const self = useSelf();
  const channelSession = parley.channelSession(channel.id);
  const { sessions } = useSessionList(channelSession);
  const { messages } = useStore(channelSession.view);
  const settled = useSettled(messages.at(-1)?.id);
  const isSilent = (name: string) => silences.some(({ agent_name }) => agent_name === name);
  const waiting = waitingMentions(messages, settled).filter(
    (mention) => !isSilent(mention.agentName) && !hasBegun(sessions, mention),
  );
  const isOwn = ({ message }: WaitingMention) => message.username === self;
  const elsewhere = useWorkElsewhere(self !== null && waiting.some(isOwn));
  return waiting.map((mention) => {
    const work = workOf(sessions, mention) ?? (isOwn(mention) ? workOf(elsewhere, mention) : undefined);
    return work === undefined ? null : <Busy key={mention.agentName} session={work} channel={channel} />;
  });
}

function Busy({ session, channel }: { session: AgentSession; channel: Channel }) {
  const texts = useAtWorkTexts();
  const parley = useParley();
  const { messages } = useSessionList(parley.channelSession(channel.id));
  const { channels } = useStore(parley.channels.view);
  const place = channels.find(({ id }) => id === session.channel_id);
  const sentence = texts.busy[session.state === "waiting" ? "waiting" : "working"];
  const root = messages.get(session.thread_root_id) ?? null;
  return (
    <p>
      <span>
        <bdi>{sentence(session.agent_name, shortMoment(session.since))}</bdi>{" "}
        {place === undefined ? (
          <SessionTitle session={session} root={root} />
        ) : (
          <a href={sessionHref(session, place)}>
            <SessionTitle session={session} root={root} />
          </a>
        )}
      </span>
    </p>
  );
}

/** Returns the id of the newest message that an agent has had the time to begin with; 0: there is none. */
function useSettled(newestId = 0): number {
  const [settled, setSettled] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(newestId), TAKEN_MS);
    return () => clearTimeout(timer);
  }, [newestId]);
  return settled;
}
