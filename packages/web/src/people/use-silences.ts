import type { Channel } from "@parley/protocol/models";
import type { Silence } from "@parley/protocol/silences";
import { useCallback, useEffect, useRef, useState } from "react";
import { useLevel, useParley, useSelf } from "../session/parley-context.ts";

/** How often the list is read again while an agent is in it: no event tells that a time is over. */
const AGAIN_MS = 60_000;
const NONE: readonly Silence[] = [];

/** Returns which agents of a channel cannot answer now, and a function that reads the list again. */
export function useSilences({ id: channelId, is_direct }: Pick<Channel, "id" | "is_direct">): {
  silences: readonly Silence[];
  reload(): void;
} {
  const parley = useParley();
  const self = useSelf();
  const level = useLevel();
  const [silences, setSilences] = useState(NONE);
  const known = useRef(NONE);
  useEffect(() => {
    known.current = silences;
  }, [silences]);
  const reload = useCallback(() => {
    parley.client.channels.silences(channelId).then(
      (read) => setSilences(read.silences),
      // The line is an extra. A node of an older release has none, and the next event brings the list.
      () => {},
    );
  }, [parley, channelId]);
  // Reads again when another user logs in, who may read more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(reload, [reload, self]);
  // And after each connection that was lost: no event of the meantime comes again.
  useEffect(() => parley.channelSession(channelId).joined.subscribe(reload), [parley, channelId, reload]);
  useEffect(
    () =>
      parley.live.onEvent(({ event, data }) => {
        if (!("channel_id" in data) || data.channel_id !== channelId) return;
        if (event === "agents:silent") {
          setSilences(data.silences);
          // Only some may read which budget is used up; the event is the same for all.
          const mayRead = data.silences.some(
            ({ reason, owner_username }) => reason === "budget" && (level > 0 || owner_username === self),
          );
          if (mayRead) reload();
        }
        if (event !== "message:new") return;
        const { sender_type, agent_id, mentions } = data.chat_message;
        // A person ends the loop guard, and an agent that speaks is not silent.
        const isOver = (silence: Silence) =>
          (sender_type === "user" && silence.reason === "loop_guard") || silence.agent_id === agent_id;
        setSilences((all) => (all.some(isOver) ? all.filter((silence) => !isOver(silence)) : all));
        // One more message waits for a silent agent.
        const isCalled = ({ agent_name }: Silence) => mentions.some(({ name }) => name === agent_name);
        if (sender_type === "user" && (is_direct ? known.current.length > 0 : known.current.some(isCalled))) reload();
      }),
    [parley, channelId, is_direct, reload, self, level],
  );
  const isAny = silences.length > 0;
  useEffect(() => {
    if (!isAny) return;
    const timer = setInterval(reload, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isAny, reload]);
  return { silences, reload };
}
