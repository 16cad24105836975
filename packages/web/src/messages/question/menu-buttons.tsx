import type { CardElement } from "@parley/protocol/cards";
import type { ChatMessage } from "@parley/protocol/models";
import { useId } from "react";
import { useCardTexts } from "../../i18n/hooks/use-card-texts.ts";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { useStore } from "../../state/store.ts";
import { useAction } from "../../ui/use-action.ts";
import { menuPresses } from "./menu-presses.ts";

/** The buttons that a bot shows below its message, in the rows in which it sent them. They decide nothing. */
export function MenuButtons({ message }: { message: ChatMessage }) {
  const { id, components = [], interaction } = message;
  const parley = useParley();
  const self = useSelf();
  const { menu: texts } = useCardTexts();
  const presses = menuPresses(parley);
  const waiting = useStore(presses.waiting).get(id) ?? null;
  const action = useAction();
  const reasonId = useId();
  const isEnded = interaction?.status !== "open";
  const reason = isEnded ? texts.ended : self === null ? texts.guest : null;
  return (
    <div className="bot-menu">
      {components.map(({ elements }, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A row has no other name, and keeps nothing.
        <div key={row} className="bot-menu-row">
          {elements.map((element) => (
            <MenuElement
              key={element.type === "link" ? `link ${element.url} ${element.label}` : element.action_id}
              element={element}
              isOff={reason !== null}
              reasonId={reason === null ? undefined : reasonId}
              waiting={waiting}
              onPress={(button) => void action.run(() => presses.press(id, button, texts))}
            />
          ))}
        </div>
      ))}
      {reason !== null && (
        <p className="muted" id={reasonId}>
          {reason}
        </p>
      )}
      {action.error !== null && (
        <p className="error" role="alert">
          {texts.errors[action.code ?? ""] ?? action.error}
        </p>
      )}
    </div>
  );
}

interface ElementProps {
  element: CardElement;
  isOff: boolean;
  reasonId: string | undefined;
  /** The button that waits for the bot; null: none. */
  waiting: string | null;
  onPress(button: { action_id: string; value?: string | undefined }): void;
}

function MenuElement({ element, isOff, reasonId, waiting, onPress }: ElementProps) {
  if (element.type === "link")
    return (
      <a className="button" href={element.url} target="_blank" rel="noopener noreferrer nofollow" title={element.url}>
        <bdi>{element.label}</bdi> <span aria-hidden="true">↗</span>
      </a>
    );
  if (element.type !== "button") return null;
  const { action_id, value, label } = element;
  const isWaiting = waiting === action_id;
  return (
    <button
      type="button"
      disabled={isOff}
      aria-describedby={reasonId}
      aria-busy={isWaiting}
      // A disabled button would lose the focus of who presses it by the keyboard.
      aria-disabled={isWaiting || undefined}
      onClick={() => {
        if (!isWaiting) onPress({ action_id, value });
      }}
    >
      <bdi>{label}</bdi>
    </button>
  );
}
