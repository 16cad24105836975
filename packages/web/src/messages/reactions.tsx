import type { ChatMessage } from "@parley/protocol/models";
import { useTexts } from "../i18n/use-texts.ts";
import { useParley, useSelf } from "../session/parley-context.ts";

/** Emoji for reaction names; other names are shown as text. */
const PICTURES: Record<string, string> = { like: "👍", "+1": "👍", "-1": "👎", heart: "❤️", laugh: "😂" };

export const pictureOf = (reaction: string): string => PICTURES[reaction] ?? reaction;

/** Returns a function that adds the user's reaction, or removes it. */
export function useReact(): (message: ChatMessage, reaction: string) => void {
  const parley = useParley();
  const self = useSelf();
  return (message, reaction) => {
    if (self === null) {
      parley.loginDialog.set("login");
      return;
    }
    const isMine = message.reactions.some((each) => each.reaction === reaction && each.me);
    parley.live
      .command(isMine ? "reaction:remove" : "reaction:add", { message_id: message.id, reaction })
      .catch((error: unknown) => parley.showError(error));
  };
}

/** The reactions to a message; pressing one adds or removes the user's own. */
export function Reactions({ message }: { message: ChatMessage }) {
  const { messages: texts } = useTexts();
  const react = useReact();
  if (message.reactions.length === 0) return null;
  return (
    <ul className="reactions">
      {message.reactions.map(({ reaction, count, me }) => (
        <li key={reaction}>
          <button
            type="button"
            className="reaction"
            aria-pressed={me}
            aria-label={texts.reaction(reaction, count)}
            onClick={() => react(message, reaction)}
          >
            <span aria-hidden="true">{pictureOf(reaction)}</span> <span aria-hidden="true">{count}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
