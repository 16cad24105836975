import type { FileRecord } from "@parley/protocol/files";
import { useState } from "react";
import { createPortal } from "react-dom";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { useSite } from "../session/use-site.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { Recorder } from "./recorder.tsx";

/**
 * Opens the window that records a voice note. The microphone is asked for only then. The window is in the same script:
 * the page names each script in its first one, which is full.
 */
export function VoiceButton({ onSend }: { onSend(file: FileRecord): void }) {
  const texts = useVoiceTexts();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  if (useSite() === null) return null;
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.record}
        title={texts.record}
        onClick={() => setOpen(true)}
      >
        <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
          <path d="M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4zM6 11.500a6 6 0 0 0 12 0M12 17.500V21" />
        </svg>
      </button>
      {isOpen &&
        createPortal(
          <DialogBoundary onClose={close}>
            <Recorder
              onClose={close}
              onSend={(file) => {
                close();
                onSend(file);
              }}
            />
          </DialogBoundary>,
          // The composer is a form, and its keys are not those of the recorder.
          document.body,
        )}
    </>
  );
}
