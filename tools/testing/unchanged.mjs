// The packages and programs made from the sources are tested again only when the sources have changed, and always where
// PARLEY_REQUIRE_SERVICES=1, as in .ci/run.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needOf } from "./select.mjs";

const NOTE = "dist/tests/packages.sha256";
/** The sources of packages, documents and executables, and their tests. */
const INPUTS = ["package.json", "package-lock.json", "packages", "tools", "clients", "docs", "LICENSE"];
const LEFT_OUT = new Set(["node_modules", "dist", "test"]);

const isPackages = (path) => needOf(path, { packages: true }) !== null;

/** Returns the files without those with the need `packages`, if these passed with the same inputs. */
export function withoutUnchanged(root, files) {
  const packages = files.filter(isPackages);
  if (packages.length === 0 || process.env.PARLEY_REQUIRE_SERVICES === "1") return files;
  const note = join(root, NOTE);
  if (!existsSync(note) || readFileSync(note, "utf8") !== digest(root)) return files;
  console.log(
    `${packages.length} files with the need packages passed with the same sources, so they do not run again.`,
  );
  return files.filter((path) => !isPackages(path));
}

/** Notes that the files passed. */
export function noteUnchanged(root, files) {
  if (files.some(isPackages)) writeFileSync(join(root, NOTE), digest(root));
}

function digest(root) {
  const hash = createHash("sha256");
  const add = (path) => {
    const entries = readdirSync(join(root, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = `${path}/${entry.name}`;
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name) && !entry.name.startsWith("dist-")) add(inner);
      if (entry.isFile()) hash.update(`${inner}\0`).update(readFileSync(join(root, inner)));
    }
  };
  for (const input of INPUTS) {
    if (input.includes(".") || input === "LICENSE") hash.update(readFileSync(join(root, input)));
    else add(input);
  }
  return hash.digest("hex");
}
