import { Database } from "bun:sqlite";
import pg from "pg";

/**
 * A process that imports this kills itself before a statement: the one with the number `PARLEY_TEST_FATAL`, counted from 1,
 * among those that match `PARLEY_TEST_WORK`.
 */
const { PARLEY_TEST_FATAL: fatal = "0", PARLEY_TEST_WORK: work = "", ...others } = process.env;
/** The environment without these two. */
export const environment = others;

const isWork = new RegExp(work, "i");
let statements = 0;

function before(text: string): void {
  if (!isWork.test(text)) return;
  statements += 1;
  if (statements === Number(fatal)) process.kill(process.pid, "SIGKILL");
}

type Method = (this: unknown, ...words: unknown[]) => unknown;

/** Wraps a method of an object or of all objects of a class. `textOf` returns the statement of a call. */
function watch(target: object, name: string, textOf: (words: readonly unknown[]) => string): void {
  const methods = target as Record<string, Method>;
  const method = methods[name];
  if (method === undefined) throw new Error(`There is no method ${name}.`);
  methods[name] = function (...words) {
    before(textOf(words));
    return method.apply(this, words);
  };
}

watch(pg.Client.prototype, "query", ([query]) =>
  typeof query === "string" ? query : ((query as { text?: string } | undefined)?.text ?? ""),
);
const prototype = Database.prototype as unknown as Record<"prepare", Method>;
const prepare = prototype.prepare;
prototype.prepare = function (...words) {
  const statement = prepare.apply(this, words) as object;
  for (const name of ["all", "run"]) watch(statement, name, () => String(words[0]));
  return statement;
};
