import type { FileRecord } from "@parley/protocol/files";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { fileLimitsOf } from "../model/files/file-limits.ts";
import { useParley, useSelf } from "../session/parley-context.ts";
import { useSite } from "../session/use-site.ts";

/** The media types that browsers record. */
const RECORDED = ["audio/webm", "audio/mp4"];

/**
 * Opens the window that records a voice note, which stays open when another channel is shown. The microphone is asked
 * for only then. There is no button where the site takes no recordings.
 */
export function VoiceButton({ onSend }: { onSend(file: FileRecord): void }) {
  const parley = useParley();
  const texts = useVoiceTexts();
  const self = useSelf();
  const limits = fileLimitsOf(useSite());
  if (self === null || limits === null || !takes(limits.types)) return null;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={texts.record}
      title={texts.record}
      onClick={() => parley.openDialog.set({ window: "voice note", by: self, onSend })}
    >
      <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path d="M12 4a2.5 2.5 0 0 1 2.5 2.5v5a2.5 2.5 0 0 1-5 0v-5A2.5 2.5 0 0 1 12 4zM6 11.500a6 6 0 0 0 12 0M12 17.500V21" />
      </svg>
    </button>
  );
}

const takes = (types: readonly string[] | null): boolean =>
  types === null || types.some((type) => type === "audio/*" || RECORDED.includes(type));
