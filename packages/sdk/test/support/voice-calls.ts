import type { VoiceNotes } from "../../src/resources/voice-notes.ts";
import type { Calls } from "./every-call.ts";

/** The calls of voice notes. */
export const voiceCalls = (voiceNotes: VoiceNotes): Calls => ({
  "voiceNotes.upload": (options) => voiceNotes.upload(new Uint8Array([1]), { duration_ms: 1 }, {}, options),
  "voiceNotes.transcribe": (options) => voiceNotes.transcribe(1, { text: "words" }, options),
  "voiceNotes.removeTranscript": (options) => voiceNotes.removeTranscript(1, options),
});
