/** A part of the file: from its first byte to the byte after its last. */
interface Span {
  start: number;
  end: number;
}

interface Box extends Span {
  type: string;
  /** Where the content begins. */
  content: number;
}

const CONTAINERS = new Set(["moov", "trak", "mdia", "minf", "stbl", "moof", "traf", "edts", "mvex", "mfra"]);
/** `udta` and `meta` have the place and the device; `uuid` has XMP and what cameras add. Players need none of them. */
const METADATA = new Set(["udta", "meta", "uuid", "free", "skip"]);
const TABLES = new Set(["stsz", "stsc", "stco", "co64"]);
/** Tracks of these handlers hold data with times, such as the places of a ride, and nothing that is seen or heard. */
const DATA_HANDLERS = new Set(["meta", "camm", "gpmd"]);
const DEPTH_MAX = 8;
/** Boxes and samples that are looked at. */
const STEPS_MAX = 200_000;
const ZEROS = Buffer.alloc(64 * 1024);

interface Walk {
  /** Boxes and samples, and bytes of samples, that may still be looked at: tables may name the same bytes many times. */
  steps: number;
  sampleBytes: number;
  isChanged: boolean;
}

/** Facts of the track that is walked. */
interface Track {
  start: number;
  isData: boolean;
  tables: Map<string, Span>;
}

/**
 * Blanks the metadata of an MP4 or QuickTime file in place (ISO/IEC 14496-12): boxes become `free` boxes of the same
 * size, so that no offset changes. Also blanks the samples of tracks of data. What is outside all boxes stays, but no
 * player reads it. Returns whether anything was changed; `too_much` if the file has more boxes than any film.
 */
export function blankMp4(file: Uint8Array): boolean | "too_much" {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const walk = { steps: STEPS_MAX, sampleBytes: bytes.length, isChanged: false };
  const isWhole = walkBoxes(bytes, { start: 0, end: bytes.length }, null, 0, walk);
  return isWhole ? walk.isChanged : "too_much";
}

function walkBoxes(bytes: Buffer, span: Span, track: Track | null, depth: number, walk: Walk): boolean {
  for (let at = span.start; at < span.end; ) {
    const box = boxAt(bytes, at, span.end);
    if (box === null) return true;
    if (--walk.steps < 0) return false;
    at = box.end;
    const { type, content } = box;
    if (METADATA.has(type)) walk.isChanged = blank(bytes, box) || walk.isChanged;
    else if (TABLES.has(type)) track?.tables.set(type, { start: content, end: box.end });
    else if (type === "hdlr" && track !== null)
      track.isData ||= DATA_HANDLERS.has(bytes.toString("latin1", content + 8, content + 12));
    if (!CONTAINERS.has(type) || depth === DEPTH_MAX) continue;
    const own = type === "trak" ? { start: box.start, isData: false, tables: new Map<string, Span>() } : track;
    if (!walkBoxes(bytes, { start: content, end: box.end }, own, depth + 1, walk)) return false;
    if (type !== "trak" || own === null || !own.isData) continue;
    if (!blankSamples(bytes, own.tables, walk)) return false;
    walk.isChanged = blank(bytes, box) || walk.isChanged;
  }
  return true;
}

/** Returns the box there; null if there is none. A box that claims more than there is ends with what it is in. */
function boxAt(bytes: Buffer, start: number, end: number): Box | null {
  if (end - start < 8) return null;
  const type = bytes.toString("latin1", start + 4, start + 8);
  let size = bytes.readUInt32BE(start);
  let head = 8;
  if (size === 1) {
    if (end - start < 16) return null;
    size = Number(bytes.readBigUInt64BE(start + 8));
    head = 16;
  } else if (size === 0) size = end - start;
  return size < head ? null : { type, start, content: start + head, end: Math.min(end, start + size) };
}

/** Empties a box and makes it a `free` one. Returns false if it was one and empty. */
function blank(bytes: Buffer, { start, content, end, type }: Box): boolean {
  if (type === "free" && isEmpty(bytes.subarray(content, end))) return false;
  bytes.write("free", start + 4, "latin1");
  bytes.fill(0, content, end);
  return true;
}

/** True if all bytes are zero. Compares blocks, because a film may have megabytes of room. */
export function isEmpty(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += ZEROS.length) {
    const block = bytes.subarray(at, at + ZEROS.length);
    if (!block.equals(ZEROS.subarray(0, block.length))) return false;
  }
  return true;
}

/** Blanks the samples that the tables of a track name. Returns false if they name more than any film has. */
function blankSamples(bytes: Buffer, tables: ReadonlyMap<string, Span>, walk: Walk): boolean {
  const sizes = tables.get("stsz");
  const runs = tables.get("stsc");
  const wide = tables.get("co64");
  const chunks = wide ?? tables.get("stco");
  if (sizes === undefined || runs === undefined || chunks === undefined) return true;
  const read = (at: number): number => (at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0);
  const countOf = (span: Span, skipped: number, width: number): number =>
    Math.min(read(span.start + skipped), Math.floor((span.end - span.start - skipped - 4) / width));
  const chunkCount = countOf(chunks, 4, wide === undefined ? 4 : 8);
  const runCount = countOf(runs, 4, 12);
  const fixed = read(sizes.start + 4);
  const sampleCount = fixed === 0 ? countOf(sizes, 8, 4) : Math.min(read(sizes.start + 8), bytes.length);
  let sample = 0;
  let run = 0;
  for (let chunk = 0; chunk < chunkCount && sample < sampleCount; chunk++) {
    while (run + 1 < runCount && read(runs.start + 8 + (run + 1) * 12) <= chunk + 1) run += 1;
    const place = chunks.start + 8 + chunk * (wide === undefined ? 4 : 8);
    let at = wide === undefined ? read(place) : Number(bytes.readBigUInt64BE(place));
    const samples = Math.min(read(runs.start + 8 + run * 12 + 4), sampleCount - sample);
    if (--walk.steps < 0) return false;
    for (let n = 0; n < samples && at < bytes.length; n++, sample++) {
      const size = fixed === 0 ? read(sizes.start + 12 + sample * 4) : fixed;
      walk.sampleBytes -= size;
      if (--walk.steps < 0 || walk.sampleBytes < 0) return false;
      bytes.fill(0, at, Math.min(bytes.length, at + size));
      at += size;
    }
  }
  return true;
}
