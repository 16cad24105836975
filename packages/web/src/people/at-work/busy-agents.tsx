import type { Channel } from "@parley/protocol/models";
import type { Silence } from "@parley/protocol/silences";
import { useEffect, useState } from "react";
import { useAtWorkTexts } from "../../i18n/at-work/use-at-work-texts.ts";
import { useParley } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { shortMoment } from "../silence-text.tsx";
import { SessionTitle, sessionHref } from "./session-title.tsx";
import { useSessionList } from "./use-session-list.ts";
import { busySessions } from "./waiting-mentions.ts";

/** An agent begins with a message within this time, unless it is busy. */
const TAKEN_MS = 3_000;

/** Says for which agents a mention waits because they work on something else. Why silent agents wait is said elsewhere. */
export function BusyAgents({ channel, silences }: { channel: Channel; silences: readonly Silence[] }) {
  const texts = useAtWorkTexts();
  const channelSession = useParley().channelSession(channel.id);
  const { sessions, messages: named } = useSessionList(channelSession);
  const { messages } = useStore(channelSession.view);
  const settled = useSettled(messages.at(-1)?.id);
  const isSilent = (id: number) => silences.some(({ agent_id }) => agent_id === id);
  return busySessions(sessions, messages, settled)
    .filter(({ agent_id }) => !isSilent(agent_id))
    .map((session) => {
      const root = named.get(session.thread_root_id) ?? null;
      const sentence = texts.busy[session.state === "waiting" ? "waiting" : "working"];
      return (
        <p key={session.agent_id}>
          <span>
            <bdi>{sentence(session.agent_name, shortMoment(session.since))}</bdi>{" "}
            <a href={sessionHref(session, channel)}>
              <SessionTitle session={session} root={root} />
            </a>
          </span>
        </p>
      );
    });
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
