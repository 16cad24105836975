import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { PlayIcon } from "../ui/icons.tsx";

/** Plays or pauses. */
export function PlayButton({ isPlaying, onPress }: { isPlaying: boolean; onPress(): void }) {
  const texts = useVoiceTexts();
  const label = isPlaying ? texts.pause : texts.play;
  return (
    <button type="button" className="icon-button play-voice" aria-label={label} title={label} onClick={onPress}>
      {isPlaying ? (
        <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
          <path d="M8 5v14M16 5v14" />
        </svg>
      ) : (
        <PlayIcon />
      )}
    </button>
  );
}
