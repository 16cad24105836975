import { type Invocation, print } from "./command.ts";
import { VERSION } from "./program.ts";

export async function version(call: Invocation): Promise<number> {
  print(call, { version: VERSION }, VERSION);
  return 0;
}
