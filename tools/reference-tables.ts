import { recordTables } from "./reference-records.ts";
import { toolsTable } from "./reference-tools.ts";

const PLACE = /<!-- Table (\w+)\. Written by `npm run format`\. -->\n[\s\S]*?<!-- End of \1\. -->/g;

/** Writes the tables of records and tools into the page of the protocol, each between its two comments. */
export function protocolPage(page: string): string {
  const tables = new Map([...recordTables(), ["Tools", toolsTable()]]);
  const filled = page.replace(PLACE, (_, name: string) => {
    const table = tables.get(name);
    if (table === undefined || !tables.delete(name)) throw new Error(`The protocol has not one place for ${name}.`);
    return `<!-- Table ${name}. Written by \`npm run format\`. -->\n${table}\n<!-- End of ${name}. -->`;
  });
  if (tables.size > 0) throw new Error(`The protocol has no place for ${[...tables.keys()].join(", ")}.`);
  return filled;
}
