import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useAtWorkTexts } from "../../i18n/hooks/use-at-work-texts.ts";
import { MessageLine } from "../../markdown/message-text.tsx";
import { hrefOf } from "../../state/route.ts";

/** Returns the address of a session's thread. A direct conversation has no threads: there it is that of the message. */
export const sessionHref = ({ thread_root_id: id }: AgentSession, { channel_slug: slug, is_direct }: Channel): string =>
  hrefOf({ slug, threadId: is_direct ? null : id, messageId: is_direct ? id : null });

/** The subject of a session: its title, or else the beginning of the message that it works on. */
export function SessionTitle({ session, root }: { session: AgentSession; root: ChatMessage | null }) {
  const texts = useAtWorkTexts();
  if (session.title !== null) return <bdi>{session.title}</bdi>;
  if (root === null || root.is_deleted || root.content === "") return <>{texts.untitled}</>;
  return (
    <bdi>
      <MessageLine message={root} />
    </bdi>
  );
}
