import { blankMp4 } from "./blank-mp4.ts";
import { blankWebm } from "./blank-webm.ts";

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
