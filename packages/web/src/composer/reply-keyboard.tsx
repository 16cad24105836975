import { useState } from "react";
import { useCardTexts } from "../i18n/cards/card-texts.ts";
import type { ShownKeyboard } from "./keyboard-for.ts";

interface Props extends ShownKeyboard {
  onPress(text: string): void;
}

/** A bot's buttons above the composer, which send their own text. */
export function ReplyKeyboard({ keyboard, message, onPress }: Props) {
  const { menu: texts } = useCardTexts();
  const [isUsed, setUsed] = useState(false);
  if (isUsed) return null;
  return (
    <fieldset className="bot-menu reply-keyboard" aria-label={texts.keyboard(message.agent_name ?? "")}>
      {keyboard.rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A keyboard never changes.
        <div key={at} className="bot-menu-row">
          {row.map((text, column) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: Two buttons may have one text.
              key={column}
              type="button"
              onClick={() => {
                setUsed(keyboard.one_time);
                onPress(text);
              }}
            >
              <bdi>{text}</bdi>
            </button>
          ))}
        </div>
      ))}
    </fieldset>
  );
}
