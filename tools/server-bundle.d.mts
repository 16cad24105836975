/** The server's program in a few files, in use by this process until it is closed. */
export interface ServerBundle {
  /** The file that Bun runs. */
  readonly main: string;
  /** Another process uses it in our stead. */
  usedBy(pid: number): void;
  close(): void;
}

/** The bundle of the sources below `root` as they are now. `bun`: the executable that makes it, if there is none. */
export function openBundle(root: string, bun: string): Promise<ServerBundle>;
