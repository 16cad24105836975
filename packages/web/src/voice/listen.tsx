import { useCallback, useEffect, useRef, useState } from "react";
import { useVoiceTexts } from "../i18n/hooks/use-voice-texts.ts";
import { pauseOthers } from "./pause-others.ts";
import { PlayButton } from "./play-button.tsx";
import type { Recorded } from "./recording.ts";
import { WaveSlider } from "./wave-slider.tsx";
import { timeText } from "./waveform.ts";

const TICK_MS = 100;

/** Plays what was recorded, before it is sent. By Web Audio: the page's policy allows an element no address for it. */
export function Listen({ recorded }: { recorded: Recorded }) {
  const texts = useVoiceTexts();
  const length = recorded.durationMs / 1_000;
  const { isPlaying, at, toggle, seek } = useSound(recorded.sound, length);
  if (recorded.sound === null) return <p className="hint">{texts.cantListen}</p>;
  return (
    <div className="voice-row">
      <PlayButton isPlaying={isPlaying} onPress={toggle} />
      <WaveSlider
        label={texts.position}
        waveform={recorded.waveform}
        at={at}
        length={length}
        position={texts.at(timeText(at), timeText(length))}
        onSeek={seek}
        onToggle={toggle}
      />
      <span className="voice-time" aria-hidden="true">
        {timeText(isPlaying || at > 0 ? at : length)}
      </span>
    </div>
  );
}

/** A sound that plays, and where in it that began. */
interface Playing {
  context: AudioContext;
  source: AudioBufferSourceNode;
  from: number;
}

function useSound(sound: AudioBuffer | null, length: number) {
  const playing = useRef<Playing | null>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const stop = useCallback(() => {
    const { context, source } = playing.current ?? {};
    playing.current = null;
    if (source !== undefined) source.onended = null;
    void context?.close();
    setPlaying(false);
  }, []);
  useEffect(() => {
    // It does not bubble. A key of the keyboard or of a headset can begin it.
    document.addEventListener("play", stop, true);
    return () => {
      document.removeEventListener("play", stop, true);
      stop();
    };
  }, [stop]);
  const positionOf = ({ context, from }: Playing) => Math.min(length, from + context.currentTime);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => playing.current !== null && setAt(positionOf(playing.current)), TICK_MS);
    return () => clearInterval(timer);
  });
  const start = (from: number) => {
    stop();
    if (sound === null) return;
    pauseOthers(null);
    const context = new AudioContext();
    const source = context.createBufferSource();
    source.buffer = sound;
    source.connect(context.destination);
    source.onended = () => {
      stop();
      setAt(0);
    };
    source.start(0, from);
    playing.current = { context, source, from };
    setPlaying(true);
  };
  const toggle = () => {
    if (playing.current === null) return start(at);
    setAt(positionOf(playing.current));
    stop();
  };
  const seek = (to: number) => {
    setAt(to);
    if (isPlaying) start(to);
  };
  return { isPlaying, at, toggle, seek };
}
