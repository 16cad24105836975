import type { KeyboardEvent, PointerEvent } from "react";
import { resampled, timeText } from "./waveform.ts";

/** Seconds of one press of an arrow key. */
const STEP_S = 5;
const BAR = 3;
const HEIGHT = 24;
const LEAST = 2;

interface Props {
  label: string;
  waveform: readonly number[];
  /** Seconds. */
  at: number;
  length: number;
  /** Says where it is, for those who do not see it. */
  position: string;
  onSeek(at: number): void;
  onToggle(): void;
}

/** Draws a waveform, which is also the slider of the playback: arrows move it by five seconds, and Space plays or pauses. */
export function WaveSlider({ label, waveform, at, length, position, onSeek, onToggle }: Props) {
  const bars = resampled(waveform);
  const seek = (to: number) => onSeek(Math.min(length, Math.max(0, to)));
  const keyed = (event: KeyboardEvent) => {
    const to = { ArrowRight: at + STEP_S, ArrowUp: at + STEP_S, ArrowLeft: at - STEP_S, ArrowDown: at - STEP_S }[
      event.key
    ];
    const end = { Home: 0, End: length }[event.key];
    if (event.key === " ") onToggle();
    else if (to !== undefined || end !== undefined) seek(to ?? end ?? 0);
    else return;
    // The list of messages has keys of its own.
    event.preventDefault();
    event.stopPropagation();
  };
  const pointed = (event: PointerEvent<HTMLElement>) => {
    if (event.type === "pointermove" && event.buttons === 0) return;
    if (event.type === "pointerdown") event.currentTarget.setPointerCapture(event.pointerId);
    const { left, width } = event.currentTarget.getBoundingClientRect();
    if (width > 0) seek(((event.clientX - left) / width) * length);
  };
  return (
    <span
      className="wave"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(length)}
      aria-valuenow={Math.round(at)}
      aria-valuetext={position}
      title={timeText(at)}
      onKeyDown={keyed}
      onPointerDown={pointed}
      onPointerMove={pointed}
    >
      <svg viewBox={`0 0 ${bars.length * BAR} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {bars.map((value, bar) => {
          const height = Math.max(LEAST, (value / 100) * HEIGHT);
          const isPlayed = length > 0 && bar / bars.length < at / length;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: A bar has no name but its place.
              key={bar}
              data-played={isPlayed || undefined}
              x={bar * BAR}
              y={(HEIGHT - height) / 2}
              width={BAR - 1}
              height={height}
              rx={1}
            />
          );
        })}
      </svg>
    </span>
  );
}
