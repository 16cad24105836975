import { readFileSync } from "node:fs";

/** What one thread of a process did to files, and what it told others, in order. */
export type Step =
  | { is: "open"; fd: number; path: string; creates: boolean }
  | { is: "close"; fd: number }
  | { is: "write"; fd: number; at: number; bytes: Buffer }
  | { is: "resize"; fd: number; size: number }
  | { is: "sync"; fd: number }
  | { is: "unlink"; path: string }
  | { is: "tell"; fd: number; text: string };

const CALLS = "openat,close,pwrite64,pwritev,ftruncate,fsync,fdatasync,unlink,rename,write,writev,sendto,sendmsg";

/**
 * The command that runs another one and writes down what its main thread asks of the kernel: there Bun runs JavaScript, SQLite and its
 * sockets. The process stays our child, so signals reach it.
 */
export const traced = (file: string, command: readonly string[]): string[] => [
  "strace",
  ...["-D", "-o", file, "-xx", "-s", "10000000", "-e", `trace=${CALLS}`, "--"],
  ...command,
];

/** Why nothing can be traced here; null when it can. */
export function problemOfTracing(): string | null {
  try {
    const { exitCode, stderr } = Bun.spawnSync(["strace", "-o", "/dev/null", "true"], { stderr: "pipe" });
    return exitCode === 0 ? null : stderr.toString().trim();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Has the process ended, and is all of it in the file? */
export const isTraceWhole = (file: string): boolean => /\n\+{3} .*\+{3}\n$/.test(readFileSync(file, "latin1"));

/** Calls that failed are none. Throws on one that would change files in a way that is not modelled here. */
export function readTrace(file: string): Step[] {
  return readFileSync(file, "latin1")
    .split("\n")
    .flatMap((line) => {
      const [, call = "", args = "", result = ""] = /^(\w+)\((.*)\) += (\d+)/.exec(line) ?? [];
      return call === "" ? [] : (stepOf(call, args, Number(result)) ?? []);
    });
}

function stepOf(call: string, args: string, result: number): Step | null {
  const fd = Number.parseInt(args, 10);
  switch (call) {
    case "openat":
      return { is: "open", fd: result, path: bytesIn(args).toString(), creates: args.includes("O_CREAT") };
    case "close":
      return { is: "close", fd };
    case "pwrite64":
      return { is: "write", fd, at: lastNumber(args), bytes: bytesIn(args).subarray(0, result) };
    case "ftruncate":
      return { is: "resize", fd, size: lastNumber(args) };
    case "fsync":
    case "fdatasync":
      return { is: "sync", fd };
    case "unlink":
      return { is: "unlink", path: bytesIn(args).toString() };
    case "write":
    case "writev":
    case "sendto":
    case "sendmsg":
      return { is: "tell", fd, text: bytesIn(args).toString() };
    default:
      throw new Error(`${call}(${args.slice(0, 200)}) is not modelled.`);
  }
}

const lastNumber = (args: string): number => Number(/(\d+)$/.exec(args)?.[1]);

/** All strings among the arguments. */
function bytesIn(args: string): Buffer {
  const hex = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = ""]) => text.replaceAll("\\x", ""));
  return Buffer.from(hex.join(""), "hex");
}
