import type { ChatMessage, Reaction } from "@parley/protocol/models";
import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useLongPress } from "../ui/use-long-press.ts";
import { pictureOf } from "./reaction-picture.ts";
import { useReactors } from "./use-reactors.ts";

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

/** The reactions to a message; pressing one adds or removes the user's own, and a long press shows who gave it. */
export function Reactions({ message }: { message: ChatMessage }) {
  if (message.reactions.length === 0) return null;
  return (
    <ul className="reactions">
      {message.reactions.map((reaction) => (
        <ReactionButton key={reaction.reaction} message={message} reaction={reaction} />
      ))}
    </ul>
  );
}

/** A name that is no emoji of Unicode may be one of the server's. */
const Named = lazy<{ name: string; text: string }>(
  async () => (await import("../emoji/server-picture.tsx")).NamedEmoji,
  ({ text }) => text,
);

/** A reaction as it is shown. */
export function ReactionPicture({ reaction }: { reaction: string }) {
  const text = pictureOf(reaction);
  return /^[\w-]{2,}$/.test(text) ? <Named name={text} text={text} /> : text;
}

interface ButtonProps {
  message: ChatMessage;
  reaction: Reaction;
}

function ReactionButton({ message, reaction: { reaction, count, me } }: ButtonProps) {
  const { messages: texts, finding } = useTexts();
  const parley = useParley();
  const react = useReact();
  const { names, ask } = useReactors(message.id, reaction, count);
  // The message itself has a long press, too.
  const { onPointerDown, ...hold } = useLongPress(
    () => parley.openDialog.set({ window: "reactions", message, reaction }),
    "input",
  );
  const who = names === null ? null : finding.reactedBy(names);
  return (
    <li>
      <button
        type="button"
        className="reaction"
        aria-pressed={me}
        aria-label={[texts.reaction(pictureOf(reaction), count), who].filter((text) => text !== null).join(". ")}
        onClick={() => react(message, reaction)}
        onFocus={ask}
        onPointerEnter={({ pointerType }) => pointerType === "mouse" && ask()}
        onPointerDown={(event) => {
          event.stopPropagation();
          onPointerDown(event);
        }}
        {...hold}
      >
        <span aria-hidden="true">
          <ReactionPicture reaction={reaction} />
        </span>{" "}
        <span aria-hidden="true">{count}</span>
        {names !== null && (
          <span className="tooltip" aria-hidden="true">
            {names}
          </span>
        )}
      </button>
    </li>
  );
}
