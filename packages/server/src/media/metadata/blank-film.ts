const MP4 = new Set([
  "video/mp4",
  "video/x-m4v",
  "video/quicktime",
  "video/3gpp",
  "video/3gpp2",
  "audio/mp4",
  "audio/x-m4a",
]);
const WEBM = new Set(["video/webm", "audio/webm", "video/matroska", "audio/matroska", "video/x-matroska"]);

/**
 * Blanks the metadata of a film or a recording in its file: the place above all. `type` is what `file-type` found. Returns
 * whether the file was changed; `too_much` if its structure is not that of a film.
 */
export function blankFilm(type: string, path: string): boolean | "too_much" {
  // Mapped and shared: what is changed is written to the file, and a large film takes no memory of this process.
  if (MP4.has(type)) return blankMp4(Bun.mmap(path));
  return WEBM.has(type) ? blankWebm(Bun.mmap(path)) : false;
}

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TAGS = 0x1254c367;
const ATTACHMENTS = 0x1941a469;
const VOID = 0xec;
const ELEMENTS_MAX = 200_000;

interface Element {
  id: number;
  content: number;
  /** null: unknown, as in files that were recorded live. */
  size: number | null;
}

/**
 * Blanks the tags and attachments of a WebM file in place (RFC 9559): they become Void elements of the same size, so that
 * no offset changes. Returns whether anything was changed; `too_much` if the file has more elements than any film.
 */
export function blankWebm(file: Uint8Array): boolean | "too_much" {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  let isChanged = false;
  let left = ELEMENTS_MAX;
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    if (element === null) return isChanged;
    if (--left < 0) return "too_much";
    const { id, content, size } = element;
    // A segment is walked; so is what has no size, because only its children tell where it ends.
    if (id === SEGMENT || size === null) {
      if (id !== SEGMENT && id !== CLUSTER) return isChanged;
      at = content;
      continue;
    }
    const end = Math.min(bytes.length, content + size);
    if (id === TAGS || id === ATTACHMENTS || (id === VOID && !isEmpty(bytes.subarray(content, end)))) {
      blank(bytes, at, end);
      isChanged = true;
    }
    at = end;
  }
  return isChanged;
}

function blank(bytes: Buffer, start: number, end: number): void {
  const length = end - start;
  bytes.fill(0, start, end);
  bytes[start] = VOID;
  if (length >= 9) {
    bytes.writeBigUInt64BE(BigInt(length - 9) | (1n << 56n), start + 1);
  } else bytes[start + 1] = 0x80 | (length - 2);
}

/** Reads the head of an element (RFC 8794); null if there is none. */
export function elementAt(bytes: Buffer, at: number): Element | null {
  const idLength = Math.clz32(bytes[at] ?? 0) - 23;
  if (idLength > 4 || at + idLength >= bytes.length) return null;
  const sizeAt = at + idLength;
  const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23;
  if (sizeLength > 8 || sizeAt + sizeLength > bytes.length) return null;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength);
  let isUnknown = size === 0xff >> sizeLength;
  for (let n = 1; n < sizeLength; n++) {
    const byte = bytes[sizeAt + n] ?? 0;
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { id: bytes.readUIntBE(at, idLength), content: sizeAt + sizeLength, size: isUnknown ? null : size };
}

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
    if (METADATA.has(type)) walk.isChanged = blankBox(bytes, box) || walk.isChanged;
    else if (TABLES.has(type)) track?.tables.set(type, { start: content, end: box.end });
    else if (type === "hdlr" && track !== null)
      track.isData ||= DATA_HANDLERS.has(bytes.toString("latin1", content + 8, content + 12));
    if (!CONTAINERS.has(type) || depth === DEPTH_MAX) continue;
    const own = type === "trak" ? { start: box.start, isData: false, tables: new Map<string, Span>() } : track;
    if (!walkBoxes(bytes, { start: content, end: box.end }, own, depth + 1, walk)) return false;
    if (type !== "trak" || own === null || !own.isData) continue;
    if (!blankSamples(bytes, own.tables, walk)) return false;
    walk.isChanged = blankBox(bytes, box) || walk.isChanged;
  }
  return true;
}

/** Returns the box there; null if there is none. A box that claims more than there is ends with what it is in. */
export function boxAt(bytes: Buffer, start: number, end: number): Box | null {
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
function blankBox(bytes: Buffer, { start, content, end, type }: Box): boolean {
  if (type === "free" && isEmpty(bytes.subarray(content, end))) return false;
  bytes.write("free", start + 4, "latin1");
  bytes.fill(0, content, end);
  return true;
}

/** True if all bytes are zero. Compares blocks, because a film may have megabytes of room. */
function isEmpty(bytes: Buffer): boolean {
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
