/** Where an export is written: a folder, or a ZIP. Until `finish`, its name or a file in it says that it is incomplete. */
export interface Target extends AsyncDisposable {
  /** As the command names it. */
  readonly path: string;
  /**
   * Begins a file. In a ZIP only one is open at a time. `isMain`: by this one other programs know an export, so it gets its
   * name at the end. Errors: `ExportRefused` if the disk is full.
   */
  file(name: string, options?: { isMain?: boolean }): Promise<TargetFile>;
  /** Makes the export complete. */
  finish(): Promise<void>;
}

/** A file of an export while it is written. */
export interface TargetFile {
  write(data: string | Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Characters that are gathered before they are written. */
const PIECE = 64 * 1024;

/** Returns a file that writes short texts together. */
export function gathering(file: TargetFile): TargetFile {
  let text = "";
  const flush = async (): Promise<void> => {
    const piece = text;
    text = "";
    if (piece !== "") await file.write(piece);
  };
  return {
    async write(data) {
      if (typeof data !== "string") {
        await flush();
        await file.write(data);
        return;
      }
      text += data;
      if (text.length >= PIECE) await flush();
    },
    async close() {
      await flush();
      await file.close();
    },
  };
}
