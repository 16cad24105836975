import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { eventually } from "../packages/server/test/support/test-server.ts";

const root = join(import.meta.dir, "..");

/** `npm start` on a free port; resolves when it has said where it is. */
async function npmStart(): Promise<{ npm: Subprocess<"ignore", "pipe", "pipe">; url: string }> {
  const npm = Bun.spawn(["npm", "start"], {
    cwd: root,
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PORT: "0", PARLEY_DATA_DIR: temporaryFolder() },
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

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );

test("npm start serves; SIGTERM to npm alone drains the server and exits 0", async () => {
  const { npm, url } = await npmStart();
  expect(await isUp(url)).toBe(true);
  npm.kill("SIGTERM");
  expect(await npm.exited).toBe(0);
  expect(await isUp(url)).toBe(false);
});

test("npm start serves the pages and documents, with all they ask for", async () => {
  const { npm, url } = await npmStart();
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.text();
  };
  const pages = await Promise.all(["/", "/claim", "/docs"].map(get));
  const asked = pages.flatMap((html) =>
    [...html.matchAll(/(?:src|href)="(\/[^"]+\.\w+)"/g)].map(([, path = ""]) => path),
  );
  expect(asked).toContain("/docs/assets/swagger-ui.js");
  expect(asked.length).toBeGreaterThan(6);
  const files = await Promise.all([...asked, "/favicon.ico", "/docs/events", "/api/openapi.json", "/metrics"].map(get));
  expect(files.every(({ length }) => length > 100)).toBe(true);
  npm.kill("SIGTERM");
  expect(await npm.exited).toBe(0);
});

test("when npm is killed, the server it started does not stay behind", async () => {
  const { npm, url } = await npmStart();
  npm.kill("SIGKILL");
  await npm.exited;
  await eventually("the server is gone", async () => !(await isUp(url)));
});

test("an unknown command is refused with what there is", async () => {
  const run = Bun.spawn(["node", "tools/run.mjs", "dance"], { cwd: root, stderr: "pipe" });
  expect(await run.exited).toBe(2);
  expect(await new Response(run.stderr).text()).toContain("serve|parley|test");
});

test("the exit code and the output of a command come through", async () => {
  const run = Bun.spawn(["npm", "run", "--silent", "parley", "--", "key", "revoke"], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await run.exited).toBe(2);
  expect(await new Response(run.stdout).text()).toBe("");
});
