import { type ChangeEvent, useRef } from "react";
import { useTexts } from "../../i18n/use-texts.ts";
import { fileLimitsOf } from "../../model/files/file-limits.ts";
import { useSite } from "../../session/use-site.ts";
import { isTouch } from "../../ui/enter-key.ts";
import { AttachIcon } from "../../ui/icons.tsx";
import { Popover } from "../../ui/popover.tsx";

/** Chooses files to attach; on a touch device also takes a photo. */
export function AttachButton({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const { files: texts } = useTexts();
  const limits = fileLimitsOf(useSite());
  const files = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  const chosen = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(target.files ?? [])]);
    // Else the same file could not be chosen again.
    target.value = "";
  };
  const hidden = { type: "file", hidden: true, tabIndex: -1, onChange: chosen } as const;
  // The site takes no files, or has not answered yet.
  if (limits === null) return null;
  return (
    <>
      <input {...hidden} ref={files} multiple accept={limits.types?.join(",")} aria-label={texts.attach} />
      {isTouch() ? (
        <>
          <input {...hidden} ref={camera} accept="image/*" capture="environment" aria-label={texts.takePhoto} />
          <Popover label={texts.attach} button={<AttachIcon />}>
            {(close) => (
              <div className="menu">
                <MenuEntry name={texts.choose} input={files} close={close} />
                <MenuEntry name={texts.takePhoto} input={camera} close={close} />
              </div>
            )}
          </Popover>
        </>
      ) : (
        <button
          type="button"
          className="icon-button"
          aria-label={texts.attach}
          title={texts.attach}
          onClick={() => files.current?.click()}
        >
          <AttachIcon />
        </button>
      )}
    </>
  );
}

interface EntryProps {
  name: string;
  input: React.RefObject<HTMLInputElement | null>;
  close(): void;
}

function MenuEntry({ name, input, close }: EntryProps) {
  const press = () => {
    close();
    input.current?.click();
  };
  return (
    <button type="button" onClick={press}>
      {name}
    </button>
  );
}
