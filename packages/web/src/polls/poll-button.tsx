import { useState } from "react";
import { usePollTexts } from "../i18n/hooks/use-poll-texts.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { NewPoll } from "./new-poll.tsx";

/** Opens the window that makes a poll, and shows it. */
export function PollButton({ channelId }: { channelId: number }) {
  const texts = usePollTexts();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={texts.make}
        title={texts.make}
        onClick={() => setOpen(true)}
      >
        <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
          <path d="M5 20V11M12 20V4M19 20v-6" />
        </svg>
      </button>
      {isOpen && (
        <DialogBoundary onClose={close}>
          <NewPoll channelId={channelId} onClose={close} />
        </DialogBoundary>
      )}
    </>
  );
}
