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

/** Returns true if a WebM file (RFC 9559) has tracks, and all of them are sound. Nothing behind the first cluster counts. */
export function isWebmSound(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const types: number[] = [];
  let steps = STEPS_MAX;
  for (let at = 0; at < bytes.length && --steps > 0; ) {
    const element = elementAt(bytes, at);
    if (element === null || element.id === CLUSTER) break;
    const { id, content, size } = element;
    // These are walked. In a track entry all but its type is passed over.
    if (id === SEGMENT || id === TRACKS || id === TRACK_ENTRY) {
      if (id === TRACK_ENTRY) types.push(0);
      at = content;
      continue;
    }
    if (size === null) break;
    if (id === TRACK_TYPE && size > 0) types[types.length - 1] = bytes[content + size - 1] ?? 0;
    at = content + size;
  }
  return types.length > 0 && types.every((type) => type === SOUND_TRACK);
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
      if (type === "hdlr" && handlers.length > 0)
        handlers[handlers.length - 1] = bytes.toString("latin1", content + 8, content + 12);
      at = box.end;
    }
  };
  walk(0, bytes.length, 0);
  return steps > 0 && handlers.length > 0 && handlers.every((handler) => handler === SOUND_HANDLER);
}
