import type { FileRecord } from "@parley/protocol/files";
import type { VoiceNote } from "@parley/protocol/voice-notes";
import { useEffect, useRef, useState } from "react";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { useStore } from "../state/store.ts";
import { DownloadIcon } from "../ui/icons.tsx";
import { pauseOthers } from "./pause-others.ts";
import { PlayButton } from "./play-button.tsx";
import { nextSpeed, speed } from "./speed.ts";
import { TranscriptOf } from "./transcript.tsx";
import { WaveSlider } from "./wave-slider.tsx";
import { timeText } from "./waveform.ts";

interface Props {
  file: FileRecord;
  voice: VoiceNote;
  /** True for a note of a forwarded message. */
  isForward?: boolean;
  /** The channel of its message. */
  channelId?: number;
}

/** Plays a voice note. Its length is what its sender says until the browser knows better. */
export function VoicePlayer({ file, voice, ...place }: Props) {
  const texts = useVoiceTexts();
  const { audio, isPlaying, isBroken, at, length, toggle, seek, events } = usePlayback(voice.duration_ms / 1_000);
  const rate = useStore(speed);
  useEffect(() => {
    if (audio.current !== null) audio.current.playbackRate = rate;
  }, [audio, rate]);
  const label = file.alt_text ?? texts.noteOf(timeText(length));
  return (
    // biome-ignore lint/a11y/useSemanticElements: A fieldset is for forms.
    <div className="voice-note" role="group" aria-label={label}>
      <audio ref={audio} src={file.url} preload="none" {...events} />
      <div className="voice-row">
        <PlayButton isPlaying={isPlaying} onPress={toggle} />
        <WaveSlider
          label={texts.position}
          waveform={voice.waveform}
          at={at}
          length={length}
          position={texts.at(timeText(at), timeText(length))}
          onSeek={seek}
          onToggle={toggle}
        />
        <span className="voice-time" aria-hidden="true">
          {timeText(isPlaying || at > 0 ? at : length)}
        </span>
        <button type="button" className="secondary voice-speed" aria-label={texts.speed(rate)} onClick={nextSpeed}>
          {texts.times(rate)}
        </button>
        <a
          className="icon-button"
          href={file.url}
          download={file.name}
          aria-label={texts.download}
          title={texts.download}
        >
          <DownloadIcon />
        </a>
      </div>
      {isBroken && <p className="hint">{texts.cantPlay}</p>}
      <TranscriptOf file={file} transcript={voice.transcript} {...place} />
    </div>
  );
}

/** Follows the element that plays. When it begins, all other sound pauses, and it pauses when another one begins. */
function usePlayback(claimed: number) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(claimed);
  useEffect(() => {
    const other = ({ target }: Event) => target !== audio.current && audio.current?.pause();
    // These events do not bubble.
    document.addEventListener("play", other, true);
    return () => document.removeEventListener("play", other, true);
  }, []);
  const follow = (element: HTMLAudioElement) => {
    setAt(element.currentTime);
    // Recordings of browsers often do not say how long they are, and what their sender said may be wrong.
    const known = Number.isFinite(element.duration) ? element.duration : Math.max(claimed, element.currentTime);
    if (known > 0) setLength(known);
  };
  const seek = (to: number) => {
    if (audio.current === null) return;
    audio.current.currentTime = to;
    setAt(to);
  };
  const toggle = () => {
    const element = audio.current;
    if (element === null) return;
    if (!element.paused) return element.pause();
    if (element.error !== null) {
      // The network may be back.
      setBroken(false);
      element.load();
      element.currentTime = at;
    }
    element.playbackRate = speed.get();
    // A source that fails is reported by its event.
    element.play().catch(() => {});
  };
  const events = {
    onPlay({ currentTarget }: { currentTarget: HTMLAudioElement }) {
      pauseOthers(currentTarget);
      setPlaying(true);
    },
    onPause: () => setPlaying(false),
    onError: () => setBroken(true),
    onTimeUpdate: ({ currentTarget }: { currentTarget: HTMLAudioElement }) => follow(currentTarget),
    onDurationChange: ({ currentTarget }: { currentTarget: HTMLAudioElement }) => follow(currentTarget),
    onEnded({ currentTarget }: { currentTarget: HTMLAudioElement }) {
      setLength(currentTarget.currentTime);
      setPlaying(false);
      seek(0);
    },
  };
  return { audio, isPlaying, isBroken, at: Math.min(at, length), length, toggle, seek, events };
}
