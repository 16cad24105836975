import { createWriteStream } from "node:fs";
import type { Verdict } from "./check.ts";
import { checkFile, linesOf } from "./check-file.ts";
import { Elle } from "./elle.ts";
import { parseLine } from "./lines.ts";
import { KINDS } from "./problems.ts";

const HELP = `Usage: npm run check-history -- <history.jsonl> [--elle <file>] [--json]

Judges a history that the scenarios of Parley have recorded (docs/reference/histories.md), and prints what is wrong with it.
The exit code is 0 if no promise was broken, 1 if one was or the history is incomplete, and 2 for a wrong command.

  --elle <file>  writes the history for Elle, a checker that is not ours, instead of judging it
  --json         prints the verdict as one line of JSON
`;

async function writeElle(path: string, to: string): Promise<void> {
  const output = createWriteStream(to);
  const elle = new Elle((line) => output.write(`${line}\n`));
  for await (const line of linesOf(path)) {
    elle.take(parseLine(line));
    if (output.writableNeedDrain) await new Promise((resolve) => output.once("drain", resolve));
  }
  await new Promise((resolve) => output.end(resolve));
  console.error(`${elle.skipped} pages were a part of a channel and are left out.`);
}

function report({ problems, lines, operations, acknowledged, unknown, faults }: Verdict): void {
  console.log(
    `${lines} lines: ${operations} operations, ${acknowledged} messages acknowledged, ${unknown} outcomes unknown, ${faults} faults`,
  );
  for (const { kind, line, text } of problems.found)
    console.log(`${kind} (${line === 0 ? "end" : `line ${line}`}): ${text}`);
  for (const [kind, count] of problems.counts) console.log(`${count} × ${kind}: ${KINDS[kind]}`);
  console.log(
    problems.counts.size === 0 ? "No promise was broken." : "A promise was broken, or the history proves nothing.",
  );
}

async function main(words: string[]): Promise<number> {
  const at = words.indexOf("--elle");
  const [, elle] = at === -1 ? [] : words.splice(at, 2);
  const isJson = words.includes("--json");
  const [path, ...others] = words.filter((word) => word !== "--json");
  if (path === undefined || path.startsWith("--") || others.length > 0 || (at !== -1 && elle === undefined)) {
    console.log(HELP);
    return path === "--help" ? 0 : 2;
  }
  if (elle !== undefined) {
    await writeElle(path, elle);
    return 0;
  }
  const verdict = await checkFile(path);
  const { problems, ...figures } = verdict;
  if (isJson) console.log(JSON.stringify({ ...figures, problems: Object.fromEntries(problems.counts) }));
  else report(verdict);
  return problems.counts.size === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
