import { type AppContext, perServer } from "../../context.ts";
import { scan } from "./scan.ts";

/** Looks for viruses in files. */
export interface FileScanner {
  /**
   * Scans the file at that path. `found`: it must not be passed on; the log says why. `unavailable`: the scanner does
   * not answer, so nobody knows. Never throws.
   */
  scan(path: string): Promise<"clean" | "found" | "unavailable">;
}

/** The scanner of this server (`PARLEY_CLAMAV`); null if it has none. */
export const fileScanner: (ctx: AppContext) => FileScanner | null = perServer(({ config: { clamav }, log }) => {
  if (clamav === null) return null;
  return {
    async scan(path) {
      const verdict = await scan(clamav, Bun.file(path), log);
      if (verdict === "clean" || verdict === "unavailable") return verdict;
      if (verdict === "too large") {
        log.error("a file is larger than StreamMaxLength in the scanner's clamd.conf, so it is blocked");
      } else {
        log.warn({ found: verdict.found }, "the scanner found malware in a file");
      }
      return "found";
    },
  };
});
