// Which test files run: by their paths alone.
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

const TEST_FILE = /\.test\.tsx?$/;
/** The part of a file's name that may be a need: `bus.nodes.test.ts`. */
const LAST_PART = /\.([a-z]+)\.test\.tsx?$/;
const LEFT_OUT = new Set(["node_modules", "dist"]);

/** Returns the paths of all test files under a folder, relative to it, with `/`. */
export function testFiles(root) {
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name) && !entry.name.startsWith("."))
        walk(join(folder, entry.name));
      if (entry.isFile() && TEST_FILE.test(entry.name)) found.push(relative(root, join(folder, entry.name)));
    }
  };
  walk(root);
  return found.map((path) => path.split(sep).join("/")).sort();
}

/** Returns a file's need, or null if it needs only npm's packages. Other words in names, as in `x.property.test.ts`, are no needs. */
export function needOf(path, needs) {
  const part = LAST_PART.exec(path)?.[1] ?? "";
  return Object.hasOwn(needs, part) ? part : null;
}

/** Returns the files whose path contains one of the words; all files if there are none. `./a/b` is the path from the root. */
export function named(paths, words) {
  if (words.length === 0) return [...paths];
  const plain = words.map((word) => word.replace(/^\.\//, ""));
  return paths.filter((path) => plain.some((word) => path.includes(word)));
}

/** Groups files by their need: `{ nodes: [...], ... }`, in the order of the table, without empty groups. */
export function byNeed(paths, needs) {
  const groups = Object.keys(needs).map((need) => [need, paths.filter((path) => needOf(path, needs) === need)]);
  return Object.fromEntries(groups.filter(([, files]) => files.length > 0));
}

/** Splits the words after `npm test --` into names of files and options of Bun. An option's value follows `=`, except after -t. */
export function splitWords(words) {
  const names = [];
  const options = [];
  for (let n = 0; n < words.length; n++) {
    if (words[n] === "-t") options.push(words[n], words[++n]);
    else (words[n].startsWith("-") ? options : names).push(words[n]);
  }
  return { names, options };
}
