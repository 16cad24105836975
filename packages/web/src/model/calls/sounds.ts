import type { Sound } from "../../state/notification-choice.ts";

/** A tone: its pitch in Hz, and when it begins and how long it sounds, in seconds. */
interface Tone {
  pitch: number;
  at: number;
  length: number;
  shape: OscillatorType;
}

const SOUNDS: Record<Exclude<Sound, "none">, readonly Tone[]> = {
  chime: [
    { pitch: 659.25, at: 0, length: 0.35, shape: "sine" },
    { pitch: 987.77, at: 0.12, length: 0.5, shape: "sine" },
  ],
  knock: [
    { pitch: 220, at: 0, length: 0.09, shape: "triangle" },
    { pitch: 185, at: 0.14, length: 0.12, shape: "triangle" },
  ],
  drop: [{ pitch: 1_174.66, at: 0, length: 0.28, shape: "sine" }],
};
const LOUDNESS = 0.18;

let context: AudioContext | undefined;

/** Plays a short sound. Does nothing in a page that the user has not touched: browsers allow no sound there. */
export async function play(sound: Sound): Promise<void> {
  if (sound === "none" || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  // It sleeps after a while without sound.
  await context.resume();
  for (const tone of SOUNDS[sound]) playTone(context, tone);
}

function playTone(context: AudioContext, { pitch, at, length, shape }: Tone): void {
  const start = context.currentTime + at;
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  oscillator.type = shape;
  oscillator.frequency.value = pitch;
  // A sudden start or end would crack.
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(LOUDNESS, start + 0.01);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + length);
}
