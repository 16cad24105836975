/**
 * Writes the reference pages and the tables of records and tools in the protocol (docs/reference/), which follow from the code. With
 * --check it writes nothing and fails if a page is out of date.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationPage } from "./reference-configuration.ts";
import { messageRoadPage } from "./reference-message-road.ts";
import { errorsPage, ratesPage } from "./reference-protocol.ts";
import { protocolPage } from "./reference-tables.ts";

const folder = join(import.meta.dir, "..", "docs", "reference");
/** Returns the new text of each page from its old one. */
const PAGES: Record<string, (page: string) => string> = {
  "configuration.md": configurationPage,
  "errors.md": errorsPage,
  "message-road.md": messageRoadPage,
  "protocol.md": protocolPage,
  "rates.md": ratesPage,
};

const check = process.argv.includes("--check");
let stale = 0;
mkdirSync(folder, { recursive: true });
for (const [name, make] of Object.entries(PAGES)) {
  const path = join(folder, name);
  const old = read(path);
  const page = make(old);
  if (old === page) continue;
  if (check) {
    stale++;
    console.error(`docs/reference/${name} does not match the code. Run: npm run format`);
  } else {
    writeFileSync(path, page);
    console.log(`wrote docs/reference/${name}`);
  }
}
process.exit(stale === 0 ? 0 : 1);

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
