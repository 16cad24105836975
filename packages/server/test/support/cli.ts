import { Readable } from "node:stream";
import { runCommandLine } from "../../src/command-line/run.ts";
import type { Environment } from "../../src/config/load-config.ts";
import { serverMain } from "./servers/server-main.ts";

export interface CliResult {
  code: number | null;
  out: string;
  err: string;
}

/**
 * Runs a command in this process. Do not use it for commands that take or check the lock of the server, because a
 * process holds that lock.
 */
export async function cli(args: readonly string[], env: Environment, input = ""): Promise<CliResult> {
  const result: CliResult = { code: null, out: "", err: "" };
  result.code = await runCommandLine(args, {
    env,
    folder: process.cwd(),
    stdin: Readable.from([input]) as unknown as NodeJS.ReadStream,
    out: (text) => {
      result.out += text;
    },
    err: (text) => {
      result.err += text;
    },
    outIsTerminal: false,
  });
  return result;
}

/** Starts a command in its own process. */
export function spawnCli(args: readonly string[], env: Record<string, string>) {
  return Bun.spawn([process.execPath, serverMain(), ...args], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs a command in its own process. */
export async function cliProcess(args: readonly string[], env: Record<string, string>): Promise<CliResult> {
  const child = spawnCli(args, env);
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return { code: child.exitCode, out, err };
}
