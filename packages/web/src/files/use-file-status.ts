import type { FileRecord } from "@parley/protocol/files";
import { ParleyError } from "@parley/sdk";
import { useCallback, useEffect, useState } from "react";
import { useParley } from "../session/parley-context.ts";
import { pause } from "../state/pause.ts";

const CHECK_MS = 5_000;

export type FileStatus = FileRecord["status"] | "gone";

/**
 * Returns whether a file can be shown, which is asked for while it is scanned. `recheck` asks again: call it when the
 * bytes cannot be loaded.
 */
export function useFileStatus(file: FileRecord): { status: FileStatus; recheck(): void } {
  const parley = useParley();
  const [asked, setAsked] = useState<FileStatus | null>(null);
  const status = asked ?? file.status;
  const read = useCallback(async () => {
    try {
      setAsked((await parley.client.files.record(file.file_id)).file.status);
    } catch (error) {
      // Without an answer, what is known stays.
      if (error instanceof ParleyError && error.status === 404) setAsked("gone");
    }
  }, [parley, file.file_id]);
  useEffect(() => {
    if (status !== "scanning") return;
    const stopping = new AbortController();
    const ask = async () => {
      while (!stopping.signal.aborted) {
        await pause(CHECK_MS, stopping.signal);
        if (!stopping.signal.aborted) await read();
      }
    };
    void ask();
    return () => stopping.abort();
  }, [status, read]);
  return { status, recheck: () => void read() };
}
