import { usePollTexts } from "../i18n/hooks/use-poll-texts.ts";
import { useParley } from "../session/parley-context.ts";

/** Opens the window that makes a poll. */
export function PollButton({ channelId }: { channelId: number }) {
  const parley = useParley();
  const texts = usePollTexts();
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={texts.make}
      title={texts.make}
      onClick={() => parley.openDialog.set({ window: "new poll", channelId })}
    >
      <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path d="M5 20V11M12 20V4M19 20v-6" />
      </svg>
    </button>
  );
}
