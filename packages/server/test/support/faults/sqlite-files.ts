import { afterEach, expect } from "bun:test";
import { join } from "node:path";
import { type Clock, systemClock } from "../../../src/clock.ts";
import { type OpenDatabase, type OpenOptions, openDatabase } from "../../../src/db/database.ts";
import { StartupError } from "../../../src/db/startup-error.ts";
import { temporaryFolder } from "../config.ts";

/**
 * Returns SQLite files for the tests of the calling file, and closes opened databases after each test. Call it once, at
 * the top of the file.
 */
export function sqliteFiles() {
  const acts: (() => unknown)[] = [];
  afterEach(async () => {
    for (const act of acts.splice(0).reverse()) await act();
  });

  const open = async (path: string, options?: OpenOptions, clock: Clock = systemClock): Promise<OpenDatabase> => {
    const opened = await openDatabase({ kind: "sqlite", path }, clock, options);
    acts.push(() => opened[Symbol.asyncDispose]());
    return opened;
  };

  return {
    open,
    newPath: () => join(temporaryFolder(), "data", "parley.sqlite"),
    /** Returns the text of the error when a server refuses to start on this path. */
    async refusal(path: string, options?: OpenOptions): Promise<string> {
      const error = await open(path, options).then(
        () => expect.unreachable("it was not refused"),
        (error) => error,
      );
      expect(error).toBeInstanceOf(StartupError);
      return error.message;
    },
    /** Runs `act` after the test, before cleanups that were registered earlier. */
    cleanUp: (act: () => unknown): void => void acts.push(act),
  };
}
