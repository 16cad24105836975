/**
 * Builds a Debian package from the executable: `node_modules/.bin/bun tools/debian.ts <executable> [folder]`. It needs
 * dpkg-deb, and no root. The files besides the executable are in deploy/debian.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { changelog, MAINTAINER, manualPages } from "./debian-documents.ts";

const DEPLOY = join(import.meta.dir, "../deploy");

export interface DebianPackage {
  executable: string;
  /** Where the package is written. */
  folder: string;
  version: string;
  /** Debian's name of the machine, such as `amd64`. */
  architecture: string;
  /** Does not compress, for tests. */
  isFast?: boolean;
}

/** The files of the package: where each comes from, and its mode. */
const FILES: Readonly<Record<string, { from: string; mode: number }>> = {
  "DEBIAN/conffiles": { from: "debian/conffiles", mode: 0o644 },
  "DEBIAN/postinst": { from: "debian/postinst", mode: 0o755 },
  "DEBIAN/prerm": { from: "debian/prerm", mode: 0o755 },
  "DEBIAN/postrm": { from: "debian/postrm", mode: 0o755 },
  // The group that may read it exists only after the installation.
  "etc/parley.env": { from: "debian/parley.env", mode: 0o600 },
  "lib/systemd/system/parley.service": { from: "parley.service", mode: 0o644 },
  "usr/sbin/parleyctl": { from: "debian/parleyctl", mode: 0o755 },
  "usr/share/doc/parley/copyright": { from: "../LICENSE", mode: 0o644 },
};

/** Builds a package and returns its path. */
export async function debianPackage(of: DebianPackage): Promise<string> {
  const tree = mkdtempSync(join(tmpdir(), "parley-deb-"));
  try {
    for (const [path, { from, mode }] of Object.entries(FILES)) put(tree, path, contentOf(from), mode);
    mkdirSync(join(tree, "usr/bin"), { recursive: true });
    copyFileSync(of.executable, join(tree, "usr/bin/parley"));
    chmodSync(join(tree, "usr/bin/parley"), 0o755);
    put(tree, "DEBIAN/control", control(of), 0o644);
    const builtAt = new Date(statSync(of.executable).mtimeMs);
    const documents = { "usr/share/doc/parley/changelog.gz": changelog(of.version, builtAt), ...manualPages() };
    for (const [path, content] of Object.entries(documents)) put(tree, path, content, 0o644);
    chmodSync(tree, 0o755);
    const file = join(of.folder, `parley_${of.version}_${of.architecture}.deb`);
    const compression = of.isFast === true ? ["-Znone"] : ["-Zxz"];
    const command = ["dpkg-deb", "--root-owner-group", ...compression, "--build", tree, file];
    const built = Bun.spawn(command, { stdout: "ignore", stderr: "pipe" });
    if ((await built.exited) !== 0) throw new Error(await new Response(built.stderr).text());
    return file;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

/** In the package the executable is in /usr/bin, because /usr/local belongs to the machine's administrator. */
const contentOf = (from: string): string =>
  readFileSync(join(DEPLOY, from), "utf8").replaceAll("/usr/local/bin/parley", "/usr/bin/parley");

function put(tree: string, path: string, content: string | Uint8Array, mode: number): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

function control({ executable, version, architecture }: DebianPackage): string {
  return [
    "Package: parley",
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${Math.ceil(statSync(executable).size / 1024)}`,
    "Depends: adduser, libc6 (>= 2.31)",
    "Section: net",
    "Priority: optional",
    "Description: chat server where people and agents share channels",
    " Parley serves a web page, an HTTP API and WebSockets from one process, and",
    " stores its data in SQLite or PostgreSQL. Its settings are in /etc/parley.env.",
    "",
  ].join("\n");
}

if (import.meta.main) {
  const [executable, folder = "."] = process.argv.slice(2);
  if (executable === undefined) throw new Error("usage: bun tools/debian.ts <executable> [folder]");
  const { version } = JSON.parse(readFileSync(join(import.meta.dir, "../package.json"), "utf8")) as { version: string };
  const architecture = process.arch === "arm64" ? "arm64" : "amd64";
  console.log(await debianPackage({ executable, folder: resolve(folder), version, architecture }));
}
