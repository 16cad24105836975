import { expect, test } from "bun:test";
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { freePort } from "../packages/server/test/support/servers/child-server.ts";
import { eventually } from "../packages/server/test/support/servers/test-server.ts";

/** A start builds the page, on a busy machine for half a minute. It guards against hanging and is not a promise. */
const BUILD_MS = 120_000;

const root = join(import.meta.dir, "..");

/** Copies the sources that a server runs from, so that the test can change them. */
function copyOfSources(): string {
  const copy = temporaryFolder();
  for (const name of ["protocol", "sdk", "server", "web"]) {
    mkdirSync(join(copy, "packages", name), { recursive: true });
    for (const part of ["src", "package.json", "README.md"].filter((part) =>
      existsSync(join(root, "packages", name, part)),
    )) {
      cpSync(join(root, "packages", name, part), join(copy, "packages", name, part), { recursive: true });
    }
  }
  mkdirSync(join(copy, "tools"));
  // The server serves these pages.
  for (const folder of ["docs", "clients"]) cpSync(join(root, folder), join(copy, folder), { recursive: true });
  // Without the paths of tsconfig.json, the packages would be those that npm packs, which need not be built.
  for (const file of ["package.json", "tsconfig.json", "tools/dev.ts"]) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

const textOf = (url: string): Promise<string | null> =>
  fetch(url).then(
    (response) => response.text(),
    () => null,
  );

test(
  "npm run dev serves a changed page, survives a syntax error in the server, and stops on SIGTERM",
  async () => {
    const copy = copyOfSources();
    const port = freePort();
    const url = `http://127.0.0.1:${port}/`;
    const dev = Bun.spawn([process.execPath, join(copy, "tools/dev.ts")], {
      cwd: copy,
      env: { PATH: process.env.PATH ?? "", PORT: String(port), PARLEY_DATA_DIR: temporaryFolder() },
      stdio: ["ignore", "ignore", "ignore"],
    });
    const script = async (): Promise<string | null> => {
      const path = /src="\/(assets\/app-[^"]+)"/.exec((await textOf(url)) ?? "")?.[1];
      return path === undefined ? null : textOf(url + path);
    };
    try {
      await eventually("the page", script, BUILD_MS);
      appendFileSync(join(copy, "packages/web/src/app/main.tsx"), '\ndocument.title = "changed once";\n');
      const isChanged = async () => (await script())?.includes("changed once");
      await eventually("the changed page", isChanged, BUILD_MS);

      const main = join(copy, "packages/server/src/main.ts");
      const source = readFileSync(main, "utf8");
      writeFileSync(main, "const const;\n");
      await eventually("the end of the server", async () => (await textOf(url)) === null, BUILD_MS);
      writeFileSync(main, source);
      await eventually("the server's return", isChanged, BUILD_MS);
    } finally {
      dev.kill("SIGTERM");
      await dev.exited;
    }
    expect(dev.exitCode).toBe(0);
    expect(await textOf(url)).toBeNull();
  },
  4 * BUILD_MS,
);
