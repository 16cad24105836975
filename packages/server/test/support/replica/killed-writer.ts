import { Database } from "bun:sqlite";
import { join } from "node:path";
import { FolderReplica } from "../../../src/replica/storage-folder.ts";
import { temporaryFolder } from "../config.ts";
import { stepOf } from "./model.ts";
import type { WriterOrder } from "./model-writer.ts";
import { restorePlainly } from "./plain-restore.ts";

/** The path of a program in this folder. */
export const program = (name: string) => join(import.meta.dir, name);

/** A line of the writer: a transaction that was acknowledged. */
export interface Acknowledged {
  k: number;
  at: number;
  state: string;
  chain: number;
}

/** Runs the writer until `isEnough`, kills it or lets it end, and returns what it has acknowledged. */
export async function write(order: WriterOrder, isEnough: (acks: Acknowledged[]) => boolean, end: "kill" | "close") {
  const child = Bun.spawn([process.execPath, program("model-writer.ts"), JSON.stringify(order)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const acks: Acknowledged[] = [];
  let rest = "";
  let isAsked = false;
  for await (const part of child.stdout) {
    const lines = (rest + new TextDecoder().decode(part)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [k, at, state = "", chain] = line.split(" ");
      acks.push({ k: Number(k), at: Number(at), state, chain: Number(chain) });
    }
    if (isAsked || !isEnough(acks)) continue;
    isAsked = true;
    if (end === "kill") child.kill("SIGKILL");
    else child.stdin.end();
  }
  const killedAt = Date.now();
  await child.exited;
  return { acks, killedAt };
}

/** Restores the newest state until then, and returns its transaction. Throws unless it is exactly that one. */
export async function restored(place: string, until?: number): Promise<number> {
  const target = join(temporaryFolder(), "restored.sqlite");
  await restorePlainly(new FolderReplica(place), target, until);
  using database = new Database(target);
  return stepOf(database);
}

/** The replica covers all when its state is "on"; then a random time passes. */
export const forAWhile = (ms: number) => (acks: Acknowledged[]) => {
  const covered = acks.find(({ state }) => state === "on");
  return covered !== undefined && (acks.at(-1)?.at ?? 0) > covered.at + ms;
};

/** Returns how long before the kill the oldest transaction was acknowledged that the replica does not have; 0: it has all. */
export async function lossOf(place: string, { acks, killedAt }: Awaited<ReturnType<typeof write>>): Promise<number> {
  const k = await restored(place);
  const lost = acks.find((ack) => ack.k > k);
  return lost === undefined ? 0 : killedAt - lost.at;
}
