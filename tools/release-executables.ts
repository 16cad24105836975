/**
 * Makes what a release offers for download: executables for x64 and arm64 with glibc, their Debian packages, the script
 * that installs one, and SHA256SUMS. `node_modules/.bin/bun tools/release-executables.ts [folder]`; the folder is `dist/release` by default.
 * The runtime of the other architecture comes from npm's registry, with the hash in package-lock.json.
 */
import {
  copyFileSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { debianPackage } from "./debian.ts";

const ROOT = join(import.meta.dir, "..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

/** The architectures, by the name in the file, with the names that Bun, its packages and Debian use. */
const ARCHITECTURES = {
  x64: { target: "bun-linux-x64", runtime: "@oven/bun-linux-x64", debian: "amd64" },
  arm64: { target: "bun-linux-arm64", runtime: "@oven/bun-linux-aarch64", debian: "arm64" },
} as const;

const folder = resolve(process.argv[2] ?? join(ROOT, "dist/release"));
const draft = mkdtempSync(join(tmpdir(), "parley-release-"));
try {
  mkdirSync(folder, { recursive: true });
  const files: string[] = [];
  for (const [name, { target, runtime, debian }] of Object.entries(ARCHITECTURES)) {
    const executable = join(folder, `parley-${version}-linux-${name}`);
    const bun = await fetchRuntime(runtime);
    await run(process.execPath, "tools/bundle.ts", "--executable", executable, "--target", target, "--runtime", bun);
    files.push(executable, await debianPackage({ executable, folder, version, architecture: debian }));
  }
  const script = join(folder, "install.sh");
  copyFileSync(join(ROOT, "deploy/install.sh"), script);
  files.push(script);
  const lines = await Promise.all(files.map(async (file) => `${await sha256(file)}  ${basename(file)}`));
  writeFileSync(join(folder, "SHA256SUMS"), `${lines.join("\n")}\n`);
  console.log([`${folder} contains:`, ...lines].join("\n"));
} finally {
  rmSync(draft, { recursive: true, force: true });
}

/** Downloads a package of Bun's, compares it with the lock file, and returns the path of its program. */
async function fetchRuntime(name: string): Promise<string> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string; integrity: string } | undefined>;
  };
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json has no ${name}.`);
  const into = mkdtempSync(join(draft, "runtime-"));
  const packed = await run("npm", "pack", "--silent", "--pack-destination", into, `${name}@${locked.version}`);
  const archive = join(into, packed.trim());
  const found = `sha512-${new Bun.CryptoHasher("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (found !== locked.integrity) throw new Error(`${name}@${locked.version} is not the package of package-lock.json.`);
  await run("tar", "-xzf", archive, "-C", into, "package/bin/bun");
  const program = join(into, basename(name));
  renameSync(join(into, "package/bin/bun"), program);
  return program;
}

async function sha256(file: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest("hex");
}

/** Runs a program in the clone, and returns what it writes. */
async function run(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed.`);
  return text;
}
