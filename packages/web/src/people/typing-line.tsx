import { useTexts } from "../i18n/use-texts.ts";
import type { TypingUser, TypingUsers } from "../model/typing-users.ts";
import { useStore } from "../state/store.ts";
import { useFullNames } from "./full-names.ts";

const namesOf = (kind: TypingUser["kind"], all: readonly TypingUser[]): string[] =>
  all.filter((each) => each.kind === kind).map(({ name }) => name);

/** "ana and ben are typing", "Scout is thinking": in a thread, or in the channel itself (null). */
export function TypingLine({ typingUsers, rootId }: { typingUsers: TypingUsers; rootId: number | null }) {
  const { people } = useTexts();
  const all = useStore(typingUsers.all).filter((each) => each.rootId === rootId);
  const users = useFullNames(namesOf("user", all));
  const agents = namesOf("agent", all);
  return (
    <p className="typing" aria-live="off">
      {agents.length > 0 && <bdi className="thinking">{people.thinking(agents)}</bdi>}
      {users.length > 0 && <bdi>{people.typing(users)}</bdi>}
    </p>
  );
}
