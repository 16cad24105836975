import type { ChatMessage } from "@parley/protocol/models";
import type { Conversation } from "../model/conversation.ts";
import { StopButton } from "../people/at-work/stop-button.tsx";
import { calls, useMayStop } from "../people/at-work/use-may-stop.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

/** The button that stops an agent while its message grows, for those who may. */
export function StopGrowing({ message, channelSession }: { message: ChatMessage; channelSession: Conversation }) {
  const { channel_id, agent_id, agent_name, thread_root_id, reply_to_id } = message;
  const name = agent_name ?? "";
  const channel = useStore(useParley().channels.view).channels.find(({ id }) => id === channel_id);
  const { messages } = useStore(channelSession.view);
  const isAsking = (each: ChatMessage) =>
    each.id === reply_to_id ||
    (thread_root_id !== null && (each.thread_root_id ?? each.id) === thread_root_id && calls(each, name));
  const mayStop = useMayStop(channel, name, messages.filter(isAsking));
  if (!mayStop || agent_id === null) return null;
  return (
    <StopButton
      channelId={channel_id}
      agentName={name}
      work={{ agent_id, thread_root_id: thread_root_id ?? reply_to_id }}
      className="link stop-growing"
    />
  );
}
