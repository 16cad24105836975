import type { Site } from "@parley/protocol/site";
import type { FileLimits } from "./attachment.ts";

/** Returns what the site takes; null: it has not answered yet. */
export const fileLimitsOf = (site: Site | null): (FileLimits & { types: readonly string[] | null }) | null =>
  site === null ? null : { maxBytes: site.file_max_bytes, types: site.file_types };
