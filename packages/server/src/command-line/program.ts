import manifest from "../../package.json" with { type: "json" };
import { type Invocation, print } from "./command.ts";

export const VERSION: string = manifest.version;

/** True in a compiled executable, false in a clone. */
export const isExecutable = (): boolean => /[\\/](\$bunfs|~BUN)[\\/]/.test(Bun.main);

/** Returns how the user calls this program: by its own name when compiled, through npm in a clone. */
export function programName(): string {
  if (!isExecutable()) return "npm run parley --";
  return process.execPath.split(/[\\/]/).at(-1) ?? "parley";
}

export async function version(call: Invocation): Promise<number> {
  print(call, { version: VERSION }, VERSION);
  return 0;
}
