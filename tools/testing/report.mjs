// Reads what a run of Bun's tests reported.
import { existsSync, readFileSync } from "node:fs";

const MAX_LINES_PER_FAILURE = 60;
const SLOWEST = 20;
/** A file that takes more of a processor than this has a reason in heavy.mjs. */
export const HEAVY_SECONDS = 10;

/** Returns the tests in a JUnit report; none if there is no report. */
export function readReport(path) {
  if (!existsSync(path)) return [];
  const tests = readFileSync(path, "utf8").matchAll(/<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs);
  return [...tests].map(([, attributes, content = ""]) => {
    const failure = /<(?:failure|error)\b([^>]*?)(?:\/>|>(.*?)<\/)/s.exec(content);
    return {
      file: attribute(attributes, "file"),
      name: [attribute(attributes, "classname"), attribute(attributes, "name")].filter(Boolean).join(" > "),
      isSkipped: content.includes("<skipped"),
      failure: failure && (decode(failure[2] ?? "") || attribute(failure[1], "message") || "no message"),
    };
  });
}

const attribute = (text, name) => decode(new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? "");

const ENTITIES = { quot: '"', apos: "'", lt: "<", gt: ">", amp: "&" };
const decode = (text) =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (all, code, name) =>
    code ? String.fromCodePoint(code) : (ENTITIES[name] ?? all),
  );

/** Counts the tests of a run. `end` is the end of Bun's output: its report omits errors outside of tests, as of a file that cannot be loaded. */
export function countTests(tests, { code, end }) {
  const failures = tests.filter(({ failure }) => failure);
  const skipped = tests.filter(({ isSkipped }) => isSkipped).length;
  const errors = Number(/^ *(\d+) errors?$/m.exec(end)?.[1] ?? 0);
  const failed = failures.length + errors;
  return {
    passed: tests.length - failures.length - skipped,
    // A run that ends otherwise without a failed test has failed, too.
    failed: failed === 0 && code !== 0 ? 1 : failed,
    skipped,
    failures,
  };
}

/** Returns the text of failed tests. */
export function failureTexts(failures) {
  return failures.map(({ file, name, failure }) => {
    const lines = failure.trimEnd().split("\n").slice(0, MAX_LINES_PER_FAILURE);
    return `\n${file}: ${name}\n${lines.join("\n")}`;
  });
}

/** Returns the seconds of processor time of each file that cpu.ts measured: `{ path, seconds }`, the most first. */
export function readSeconds(path) {
  if (!existsSync(path)) return [];
  const sums = new Map();
  for (const line of readFileSync(path, "utf8").split("\n").filter(Boolean)) {
    const { file, seconds } = JSON.parse(line);
    sums.set(file, (sums.get(file) ?? 0) + seconds);
  }
  return [...sums].map(([path, seconds]) => ({ path, seconds })).sort((a, b) => b.seconds - a.seconds);
}

/** Returns lines about the files that took the most processor time, and which of them lack a reason or need none. */
export function slowestLines(files, reasons) {
  const lines = files.slice(0, SLOWEST).map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${path}`);
  const unexplained = files.filter(({ path, seconds }) => seconds > HEAVY_SECONDS && !Object.hasOwn(reasons, path));
  for (const { path } of unexplained)
    lines.push(
      `${path} takes more than ${HEAVY_SECONDS} s: give tools/testing/heavy.mjs the reason, or make it lighter.`,
    );
  return lines;
}
