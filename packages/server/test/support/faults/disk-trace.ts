import { readFileSync } from "node:fs";

/**
 * One step of a process: an operation on a file, or a response to others. Steps are in the order in which their calls
 * returned, with two exceptions: a sync also records its beginning, because it covers only earlier writes, and a
 * response counts as sent when its call began.
 */
export type Step =
  | { is: "open"; fd: number; path: string; creates: boolean }
  | { is: "close"; fd: number }
  | { is: "write"; fd: number; at: number; bytes: Buffer }
  | { is: "resize"; fd: number; size: number }
  | { is: "sync"; fd: number; thread: string }
  | { is: "synced"; thread: string }
  | { is: "unlink"; path: string }
  | { is: "tell"; fd: number; text: string };

const CALLS = "openat,close,pwrite64,pwritev,ftruncate,fsync,fdatasync,unlink,rename,write,writev,sendto,sendmsg";

/** A command around a program in whose calls a fault is injected, as strace describes it. Other calls are not slowed. */
export const injecting = (calls: string, fault: string): string[] => [
  ...["strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null"],
  ...["-e", `trace=${calls}`, "-e", `inject=${calls}:${fault}`, "--"],
];

/**
 * Returns a command that runs the given one and records its system calls on all threads: JavaScript, SQLite and sockets
 * use the first thread; syncs and checkpoints use others. The process stays our child, so signals reach it.
 */
export const traced = (file: string, command: readonly string[]): string[] => [
  "strace",
  ...["-D", "-f", "--seccomp-bpf", "-o", file, "-xx", "-s", "10000000", "-e", `trace=${CALLS}`, "--"],
  ...command,
];

/** Returns the reason why processes cannot be traced here; null if they can. */
export function problemOfTracing(): string | null {
  try {
    const { exitCode, stderr } = Bun.spawnSync(["strace", "-o", "/dev/null", "true"], { stderr: "pipe" });
    return exitCode === 0 ? null : stderr.toString().trim();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns whether the process has ended and the file is complete. Its first thread ends last. */
export function isTraceWhole(file: string): boolean {
  const text = readFileSync(file, "latin1");
  const [first] = text.split(" ", 1);
  return new RegExp(`\\n${first} +\\+{3} .*\\+{3}\\n$`).test(text);
}

interface Call {
  thread: string;
  name: string;
  args: string;
}

/**
 * Reads the steps of a trace. Skips calls that failed. Throws on a call that changes files in a way that is not
 * modelled.
 */
export function readTrace(file: string): Step[] {
  /** The interrupted call of each thread. */
  const unfinished = new Map<string, Call>();
  return readFileSync(file, "latin1")
    .split("\n")
    .flatMap((line) => stepsOf(line, unfinished));
}

function stepsOf(line: string, unfinished: Map<string, Call>): Step[] {
  // A call during which the process was killed has no result (`?`): it has started, and may have completed.
  const begun = /^(\d+) +(\w+)\((.*?)(?: <unfinished \.\.\.>|\) += (?:(-?\d+).*|\?))$/.exec(line);
  if (begun !== null) {
    const [, thread = "", name = "", args = "", result] = begun;
    const call = { thread, name, args };
    if (result !== undefined) return [...beginOf(call), ...endOf(call, Number(result))];
    unfinished.set(thread, call);
    return beginOf(call);
  }
  const [, thread = "", result] = /^(\d+) +<\.\.\. \w+ resumed>.*\) += (-?\d+)/.exec(line) ?? [];
  const call = unfinished.get(thread);
  unfinished.delete(thread);
  return call === undefined ? [] : endOf(call, Number(result));
}

function beginOf({ thread, name, args }: Call): Step[] {
  const fd = Number.parseInt(args, 10);
  switch (name) {
    case "fsync":
    case "fdatasync":
      return [{ is: "sync", fd, thread }];
    case "write":
    case "writev":
    case "sendto":
    case "sendmsg":
      return [{ is: "tell", fd, text: bytesIn(args).toString() }];
    default:
      return [];
  }
}

function endOf({ thread, name, args }: Call, result: number): Step[] {
  if (result < 0) return [];
  const fd = Number.parseInt(args, 10);
  switch (name) {
    case "openat":
      return [{ is: "open", fd: result, path: bytesIn(args).toString(), creates: args.includes("O_CREAT") }];
    case "close":
      return [{ is: "close", fd }];
    case "pwrite64":
      return [{ is: "write", fd, at: lastNumber(args), bytes: bytesIn(args).subarray(0, result) }];
    case "ftruncate":
      return [{ is: "resize", fd, size: lastNumber(args) }];
    case "fsync":
    case "fdatasync":
      return [{ is: "synced", thread }];
    case "unlink":
      return [{ is: "unlink", path: bytesIn(args).toString() }];
    case "pwritev":
    case "rename":
      throw new Error(`${name}(${args.slice(0, 200)}) is not modelled.`);
    default:
      return [];
  }
}

const lastNumber = (args: string): number => Number(/(\d+)$/.exec(args)?.[1]);

/** Returns all strings among the arguments. */
function bytesIn(args: string): Buffer {
  const hex = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text = ""]) => text.replaceAll("\\x", ""));
  return Buffer.from(hex.join(""), "hex");
}
