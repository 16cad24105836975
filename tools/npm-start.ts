import { join } from "node:path";
import type { Subprocess } from "bun";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { freePort } from "../packages/server/test/support/servers/child-server.ts";

const root = join(import.meta.dir, "..");
const PATH = process.env.PATH ?? "";

/** Runs `npm start` on a port that no other test uses. Resolves when the server has printed its address. */
export async function npmStart({
  path = PATH,
  data = temporaryFolder(),
} = {}): Promise<{ npm: Subprocess<"ignore", "pipe", "pipe">; url: string }> {
  const npm = Bun.spawn(["npm", "start"], {
    cwd: root,
    env: {
      PATH: path,
      HOME: process.env.HOME ?? "",
      PORT: String(freePort()),
      PARLEY_DATA_DIR: data,
    },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const reader = npm.stdout.getReader();
  const decoder = new TextDecoder();
  let output = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`npm start ended: ${output}${await new Response(npm.stderr).text()}`);
    output += decoder.decode(value, { stream: true });
    const url = /Web page +(http:\S+)\//.exec(output)?.[1];
    if (url !== undefined && output.includes("Ctrl-C")) return { npm, url };
  }
}

/** Returns whether a server answers there. */
export const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
