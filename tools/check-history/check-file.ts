import { createReadStream } from "node:fs";
import { createInterface, type Interface } from "node:readline";
import { Checker, type Verdict } from "./check.ts";

/** The lines of a file, as a stream. */
export const linesOf = (path: string): Interface =>
  createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });

/** Judges a history in a file. */
export async function checkFile(path: string): Promise<Verdict> {
  const checker = new Checker();
  for await (const line of linesOf(path)) checker.take(line);
  return checker.conclude();
}
