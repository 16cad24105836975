/** Debian's modules belong to its own Python, which need not be the first in PATH. */
const INTERPRETERS = ["python3", "/usr/bin/python3"];

/** Returns a Python of version 3.10 or newer that has the modules. Throws if there is none. */
export function findPython(...modules: string[]): string {
  const program = ["import sys", ...modules.map((name) => `import ${name}`), "sys.exit(sys.version_info < (3, 10))"];
  const found = INTERPRETERS.find((path) => succeeds(path, "-c", program.join("\n")));
  if (found === undefined) throw new Error(`No python3 has ${modules.join(", ") || "3.10"}.`);
  return found;
}

function succeeds(path: string, ...args: string[]): boolean {
  try {
    return Bun.spawnSync([path, ...args], { stdout: "ignore", stderr: "ignore" }).success;
  } catch {
    return false;
  }
}
