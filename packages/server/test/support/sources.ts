import { join } from "node:path";
import { Glob } from "bun";

/** A source file with the facts that the rules check. */
export interface Source {
  /** The path from the root of the repository. */
  path: string;
  /** The text without comments. */
  code: string;
  /** All imports: of types, for side effects, static and dynamic. */
  imports: string[];
  lines: number;
}

const PLACES = ["packages", "tools", "bench", "examples", "clients"];

export async function readSources(root: string): Promise<Source[]> {
  const glob = new Glob(`{${PLACES.join(",")}}/**/*.{ts,tsx}`);
  const found: Source[] = [];
  for await (const path of glob.scan({ cwd: root })) {
    if (/(^|\/)(node_modules|dist|peers)\//.test(path) || path.endsWith(".d.ts")) continue;
    const text = await Bun.file(join(root, path)).text();
    const code = withoutComments(text);
    found.push({ path, code, imports: importsOf(code), lines: text.split("\n").length - 1 });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Returns whether the file is a test or exists only for tests. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\.conformance\.ts$|\/test\//.test(path);
}

/** Removes comments, accurately enough for the rules: a `//` after a colon belongs to a URL. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|[^:"'`])\/\/.*$/gm, "$1");
}

function importsOf(code: string): string[] {
  const patterns = [
    /^(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm,
    /^import\s*["']([^"']+)["']/gm,
    /\bimport\(\s*["']([^"']+)["']\s*[,)]/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""));
}

/** Returns the cycles in a graph of files, each as the list of its files. */
export function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start !== -1) found.push([...way.slice(start), file]);
    if (start !== -1 || done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...way, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  return found;
}
