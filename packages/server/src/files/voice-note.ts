import { VoiceClaim, type VoiceNote } from "@parley/protocol/voice-notes";
import { fail } from "../errors.ts";
import { Validator } from "../http/body/validate.ts";
import { isMp4Sound, isWebmSound } from "../media/metadata/sound-alone.ts";
import type { FileRow } from "./files.store.ts";
import type { FoundType } from "./upload/file-type.ts";

const claims = new Validator(VoiceClaim);

/** Reads the field `voice` of an upload. Errors: `invalid_request`. */
export function readClaim(text: string): VoiceClaim {
  let claim: unknown;
  try {
    claim = JSON.parse(text);
  } catch {
    throw fail("invalid_request", { details: [{ path: "voice", message: "is not JSON" }] });
  }
  claims.check(claim);
  // Without fields that nobody knows.
  const { duration_ms, waveform = [] } = claim as VoiceClaim;
  return { duration_ms, waveform };
}

/** Returns what is stored of a new voice note. */
export const storedVoice = ({ duration_ms, waveform = [] }: VoiceClaim): string =>
  JSON.stringify({ duration_ms, waveform, transcript: null } satisfies VoiceNote);

/** Returns the facts of a voice note; null: the file is none. */
export const voiceOf = ({ voice }: Pick<FileRow, "voice">): VoiceNote | null =>
  voice === null ? null : (JSON.parse(voice) as VoiceNote);

const CONTAINERS: Readonly<Record<string, { type: string; isSound: (file: Uint8Array) => boolean }>> = {
  "video/webm": { type: "audio/webm", isSound: isWebmSound },
  "audio/webm": { type: "audio/webm", isSound: isWebmSound },
  "video/mp4": { type: "audio/mp4", isSound: isMp4Sound },
  "audio/mp4": { type: "audio/mp4", isSound: isMp4Sound },
};

/**
 * Returns the type of a file that is said to be a voice note. WebM and MP4 are the types of films as well, so their tracks
 * decide. Errors: `not_a_voice_note` if it is not sound alone.
 */
export function typeOfVoice(type: FoundType, path: string): FoundType {
  const container = CONTAINERS[type.mimeType];
  if (container === undefined) {
    if (type.kind !== "audio") throw fail("not_a_voice_note");
    return type;
  }
  if (!container.isSound(Bun.mmap(path))) throw fail("not_a_voice_note");
  return { found: container.type, mimeType: container.type, kind: "audio" };
}
