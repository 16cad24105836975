import { WAVEFORM_LOUDEST } from "@parley/protocol/voice-limits";

/** Bars of a waveform that is sent, and of one that is shown. */
export const BARS = 60;
/** What is quieter than this part of the loudest moment is shown as silence. */
const SILENCE = 0.02;

/** Returns the loudness of equal parts of a recording, from 0 to 100, where 100 is its loudest part. */
export function waveformOf(samples: Float32Array, bars = BARS): number[] {
  const step = samples.length / bars;
  const peaks = Array.from({ length: samples.length === 0 ? 0 : bars }, (_, bar) => {
    let peak = 0;
    for (let at = Math.floor(bar * step); at < Math.floor((bar + 1) * step); at++)
      peak = Math.max(peak, Math.abs(samples[at] ?? 0));
    return peak;
  });
  const loudest = Math.max(SILENCE, ...peaks);
  return peaks.map((peak) => Math.round((peak / loudest) * WAVEFORM_LOUDEST));
}

/** Returns a waveform with so many values, whatever its sender has sent. */
export function resampled(waveform: readonly number[], bars = BARS): number[] {
  const part = waveform.length / bars;
  return Array.from({ length: bars }, (_, bar) => {
    const within = waveform.slice(
      Math.floor(bar * part),
      Math.max(Math.floor(bar * part) + 1, Math.floor((bar + 1) * part)),
    );
    return Math.max(0, ...within);
  });
}

/** Writes a number of seconds as `1:05`. */
export function timeText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
