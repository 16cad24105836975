/**
 * Writes the reference pages generated from code (docs/reference/). With --check it writes nothing and fails if a page
 * is out of date.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationPage } from "./reference-configuration.ts";
import { messageRoadPage } from "./reference-message-road.ts";
import { errorsPage, ratesPage } from "./reference-protocol.ts";

const folder = join(import.meta.dir, "..", "docs", "reference");
const PAGES: Record<string, () => string> = {
  "configuration.md": configurationPage,
  "errors.md": errorsPage,
  "message-road.md": messageRoadPage,
  "rates.md": ratesPage,
};

const check = process.argv.includes("--check");
let stale = 0;
mkdirSync(folder, { recursive: true });
for (const [name, make] of Object.entries(PAGES)) {
  const path = join(folder, name);
  const page = make();
  if (read(path) === page) continue;
  if (check) {
    stale++;
    console.error(`docs/reference/${name} does not match the code. Run: npm run format`);
  } else {
    writeFileSync(path, page);
    console.log(`wrote docs/reference/${name}`);
  }
}
process.exit(stale === 0 ? 0 : 1);

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
