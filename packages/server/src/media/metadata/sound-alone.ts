import { boxAt, elementAt } from "./blank-film.ts";

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACKS = 0x1654ae6b;
const TRACK_ENTRY = 0xae;
const TRACK_TYPE = 0x83;
const SOUND_TRACK = 2;
const SOUND_HANDLER = "soun";
/** Boxes and elements that are looked at. */
const STEPS_MAX = 10_000;
/** `moov`, `trak` and `mdia` are in each other. */
const DEPTH_MAX = 3;

/**
 * Returns true if a WebM file (RFC 9559) has tracks, and all of them are sound. Nothing behind the first cluster counts. What
 * cannot be looked at up to there may hide a picture, so it is not sound.
 */
export function isWebmSound(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let tracks = 0;
  let sounds = 0;
  let steps = STEPS_MAX;
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    if (element === null || --steps === 0) return false;
    const { id, content, size } = element;
    if (id === CLUSTER) break;
    // These are walked. In a track entry all but its type is passed over.
    if (id === SEGMENT || id === TRACKS || id === TRACK_ENTRY) {
      if (id === TRACK_ENTRY) tracks += 1;
      at = content;
      continue;
    }
    if (size === null) return false;
    if (id === TRACK_TYPE) {
      if (bytes[content + size - 1] !== SOUND_TRACK) return false;
      sounds += 1;
    }
    at = content + size;
  }
  return tracks > 0 && sounds === tracks;
}

/** Returns true if an MP4 file (ISO/IEC 14496-12) has tracks, and all of them are sound. */
export function isMp4Sound(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const handlers: string[] = [];
  let steps = STEPS_MAX;
  const walk = (start: number, end: number, depth: number): void => {
    for (let at = start; at < end && --steps > 0; ) {
      const box = boxAt(bytes, at, end);
      if (box === null) return;
      const { type, content } = box;
      if (type === "trak") handlers.push("");
      if (depth < DEPTH_MAX && (type === "moov" || type === "trak" || type === "mdia"))
        walk(content, box.end, depth + 1);
      if (type === "hdlr" && depth === DEPTH_MAX && handlers.length > 0)
        handlers[handlers.length - 1] = bytes.toString("latin1", content + 8, content + 12);
      at = box.end;
    }
  };
  walk(0, bytes.length, 0);
  return steps > 0 && handlers.length > 0 && handlers.every((handler) => handler === SOUND_HANDLER);
}
