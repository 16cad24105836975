import type { Sticker } from "@parley/protocol/models";
import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { useStickerTexts } from "../../i18n/hooks/use-sticker-texts.ts";
import { useTexts } from "../../i18n/use-texts.ts";
import { useParley } from "../../session/parley-context.ts";
import { CloseIcon } from "../../ui/icons.tsx";
import { ErrorLine } from "../../ui/submit.tsx";
import { useAction } from "../../ui/use-action.ts";

/** The user's own stickers: send, add or delete one. */
export function StickerPicker({ onPick }: { onPick(sticker: Sticker): void }) {
  const parley = useParley();
  const { composer, app } = useTexts();
  const texts = useStickerTexts();
  const action = useAction();
  // A separate action, so that a sticker can be chosen while the list loads.
  const reading = useAction();
  const [stickers, setStickers] = useState<readonly Sticker[] | null>(null);
  const file = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens
  useEffect(() => {
    void reading.run(async () => {
      const { stickers: read } = await parley.client.stickers.list();
      setStickers((added) => [...without(added, read), ...read]);
    });
  }, [parley]);
  const upload = async (event: ChangeEvent<HTMLInputElement>) => {
    const chosen = event.target.files?.[0];
    if (chosen === undefined) return;
    await action.run(async () => {
      const { sticker } = await parley.client.stickers.upload(chosen);
      setStickers((all) => [sticker, ...without(all, [sticker])]);
    });
    event.target.value = "";
  };
  const remove = async (sticker: Sticker) => {
    const { sticker_name: name } = sticker;
    const question = { title: texts.removeSticker(name), text: texts.removeSure(name), action: texts.remove };
    if (!(await parley.confirm.ask(question))) return;
    await action.run(async () => {
      await parley.client.stickers.remove(sticker.sticker_id);
      setStickers((all) => (all ?? []).filter((each) => each !== sticker));
    });
  };
  return (
    <div className="stickers">
      <header>
        <h3>{composer.stickers}</h3>
        <button type="button" className="secondary" disabled={action.isBusy} onClick={() => file.current?.click()}>
          {action.isBusy ? texts.uploading : texts.upload}
        </button>
        <input ref={file} type="file" accept="image/gif" hidden onChange={upload} aria-label={texts.upload} />
      </header>
      <ErrorLine text={action.error ?? reading.error} />
      {stickers === null && reading.error === null && <p className="hint">{app.loading}</p>}
      {stickers?.length === 0 && <p className="hint">{texts.noStickers}</p>}
      <ul>
        {stickers?.map((sticker) => (
          <li key={sticker.sticker_id}>
            <button
              type="button"
              className="pick"
              aria-label={texts.sendSticker(sticker.sticker_name)}
              onClick={() => onPick(sticker)}
            >
              <img src={parley.client.stickers.fileUrl(sticker.sticker_id)} alt="" loading="lazy" />
            </button>
            <button
              type="button"
              className="icon-button remove"
              aria-label={texts.removeSticker(sticker.sticker_name)}
              onClick={() => void remove(sticker)}
            >
              <CloseIcon />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

const without = (all: readonly Sticker[] | null, others: readonly Sticker[]): Sticker[] =>
  (all ?? []).filter(({ sticker_id }) => others.every((other) => other.sticker_id !== sticker_id));
