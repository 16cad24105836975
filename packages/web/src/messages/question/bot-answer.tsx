import { useCardTexts } from "../../i18n/cards/card-texts.ts";
import { Dialog } from "../../ui/dialog.tsx";

/** What a bot says to the user who pressed a button, until they dismiss it. */
export function BotAnswer({ text, onClose }: { text: string; onClose(): void }) {
  const { menu: texts } = useCardTexts();
  return (
    <Dialog title={texts.answer} onClose={onClose}>
      <p className="bot-answer">
        <bdi>{text}</bdi>
      </p>
      <div className="row answers">
        <button type="button" onClick={onClose}>
          {texts.dismiss}
        </button>
      </div>
    </Dialog>
  );
}
