import { waveformOf } from "./waveform.ts";

/** Enough for speech; a minute has 240 kB. */
const BITS_PER_SECOND = 32_000;
/** Samples a second of what is decoded for the waveform and for listening: 15 minutes then take 58 MB. */
const DECODED_RATE = 16_000;
/** Samples of one look at the level. */
const LEVEL_SAMPLES = 1_024;
/** All browsers play the first; Safari may record only the second, and old Firefox only the third. */
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];
const EXTENSIONS: Readonly<Record<string, string>> = { webm: "webm", mp4: "m4a", ogg: "ogg" };

/** A recording that has ended. */
export interface Recorded {
  blob: Blob;
  /** The ending of its file's name. */
  extension: string;
  durationMs: number;
  waveform: number[];
  /** What can be listened to; null: the browser cannot decode what it has recorded. */
  sound: AudioBuffer | null;
}

/** Why there is no recording. */
export type Refusal = "denied" | "no_device" | "insecure" | "unsupported" | "failed";

/** Returns why the microphone could not be opened. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof DOMException)) return "failed";
  if (error.name === "NotAllowedError" || error.name === "SecurityError") return "denied";
  return error.name === "NotFoundError" || error.name === "OverconstrainedError" ? "no_device" : "failed";
}

/** Returns why the page cannot even ask for a microphone: browsers hide it from pages that are not served over https. */
export function hindrance(): Refusal | null {
  if (typeof MediaRecorder !== "undefined" && navigator.mediaDevices?.getUserMedia !== undefined) return null;
  return isSecureContext ? "unsupported" : "insecure";
}

/** A recording of the microphone, from its beginning to `stop` or `cancel`. */
export class Recording {
  readonly #stream: MediaStream;
  readonly #recorder: MediaRecorder;
  readonly #context: AudioContext;
  readonly #analyser: AnalyserNode;
  readonly #level = new Float32Array(LEVEL_SAMPLES);
  readonly #pieces: Blob[] = [];
  readonly #began = performance.now();
  readonly #ended = Promise.withResolvers<void>();

  private constructor(stream: MediaStream, context: AudioContext) {
    this.#stream = stream;
    this.#context = context;
    this.#analyser = this.#context.createAnalyser();
    this.#analyser.fftSize = LEVEL_SAMPLES;
    this.#context.createMediaStreamSource(stream).connect(this.#analyser);
    const mimeType = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    const options = { audioBitsPerSecond: BITS_PER_SECOND };
    this.#recorder = new MediaRecorder(stream, mimeType === undefined ? options : { ...options, mimeType });
    this.#recorder.addEventListener("dataavailable", ({ data }) => data.size > 0 && this.#pieces.push(data));
    this.#recorder.addEventListener("stop", () => this.#ended.resolve());
    this.#recorder.start();
  }

  /** Asks for the microphone and begins. Rejects with what `refusalOf` reads. */
  static async begin(): Promise<Recording> {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    let context: AudioContext | null = null;
    try {
      context = new AudioContext();
      return new Recording(stream, context);
    } catch (error) {
      void context?.close();
      for (const track of stream.getTracks()) track.stop();
      throw error;
    }
  }

  get elapsedMs(): number {
    return performance.now() - this.#began;
  }

  /** Resolves when it has ended, also because the microphone was taken away. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Returns how loud it is now, from 0 to 1. */
  level(): number {
    this.#analyser.getFloatTimeDomainData(this.#level);
    return Math.min(
      1,
      this.#level.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0),
    );
  }

  /** Ends it, and returns what was recorded. */
  async stop(): Promise<Recorded> {
    const { elapsedMs } = this;
    this.cancel();
    await this.#ended.promise;
    const [type = ""] = this.#recorder.mimeType.split(";", 1);
    const blob = new Blob(this.#pieces, { type });
    const sound = await decoded(blob);
    return {
      blob,
      extension: EXTENSIONS[type.split("/")[1] ?? ""] ?? "webm",
      durationMs: Math.max(1, Math.round(sound === null ? elapsedMs : sound.duration * 1_000)),
      waveform: sound === null ? [] : waveformOf(sound.getChannelData(0)),
      sound,
    };
  }

  /** Ends it, and gives the microphone back. */
  cancel(): void {
    if (this.#recorder.state !== "inactive") this.#recorder.stop();
    for (const track of this.#stream.getTracks()) track.stop();
    if (this.#context.state !== "closed") void this.#context.close();
  }
}

/** The page's policy allows no address for a recording, such as `blob:`, so it is decoded and not played by an element. */
async function decoded(blob: Blob): Promise<AudioBuffer | null> {
  try {
    return await new OfflineAudioContext(1, 1, DECODED_RATE).decodeAudioData(await blob.arrayBuffer());
  } catch {
    // It can be sent all the same.
    return null;
  }
}
