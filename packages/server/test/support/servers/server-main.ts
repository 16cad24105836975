import { join } from "node:path";
import { serverBundle } from "../../../../../tools/server-bundle.mjs";

let main: string | undefined;

/** Returns the program of `npm start`, which starts with 40 % less work than the sources. */
export function serverMain(): string {
  main ??= serverBundle(join(import.meta.dir, "../../../../.."), process.execPath);
  return main;
}
