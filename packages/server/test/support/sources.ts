import { join } from "node:path";
import { Glob } from "bun";

/** A file of code with what the rules look at. */
export interface Source {
  /** From the root of the repository. */
  path: string;
  /** Without comments. */
  code: string;
  /** Everything it imports: for the types, for its effect or while running. */
  imports: string[];
  /** Relative imports that are followed when it is loaded: those of types alone are not. */
  loads: string[];
  lines: number;
}

const PLACES = ["packages", "tools", "bench", "examples"];

export async function readSources(root: string): Promise<Source[]> {
  const glob = new Glob(`{${PLACES.join(",")}}/**/*.{ts,tsx}`);
  const found: Source[] = [];
  for await (const path of glob.scan({ cwd: root })) {
    if (/(^|\/)(node_modules|dist|peers)\//.test(path) || path.endsWith(".d.ts")) continue;
    const text = await Bun.file(join(root, path)).text();
    const code = withoutComments(text);
    found.push({ path, code, imports: importsOf(code), loads: loadsOf(code), lines: text.split("\n").length - 1 });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Tests, and what exists for them. */
export function isTest(path: string): boolean {
  return /\.test\.tsx?$|\.conformance\.ts$|\/test\//.test(path);
}

/** Good enough for rules: a `//` after a colon is an address, not a comment. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|[^:"'`])\/\/.*$/gm, "$1");
}

function importsOf(code: string): string[] {
  const patterns = [
    /^(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm,
    /^import\s*["']([^"']+)["']/gm,
    /\bimport\(\s*["']([^"']+)["']\s*\)/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""));
}

function loadsOf(code: string): string[] {
  const statements = code.matchAll(/^(?:import|export)\s+(?!type\b)([^;"'`]*?)\bfrom\s*["'](\.[^"']+)["']/gm);
  const onlyTypes = /^\{(\s*type\s[^,}]+,?)*\s*\}\s*$/;
  return [...statements].filter(([, names = ""]) => !onlyTypes.test(names)).map(([, , specifier = ""]) => specifier);
}

/** The circles in a graph of files, each as the list of files one walks through. */
export function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
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
