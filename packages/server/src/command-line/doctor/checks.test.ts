import { expect, test } from "bun:test";
import { loadConfig } from "../../config/load-config.ts";
import { checkDatabase, checkFolder } from "./checks.ts";

const NOWHERE = { PARLEY_DATA_DIR: `${import.meta.path}/data` };
const config = loadConfig(NOWHERE);

test("the doctor looks at no data folder on PostgreSQL", () => {
  expect(checkFolder(loadConfig({ ...NOWHERE, DATABASE_URL: "postgres://parley@127.0.0.1/parley" }))).toEqual([]);
  const [finding] = checkFolder(config);
  expect(finding?.state).toBe("problem");
  expect(finding?.text).toContain("cannot be created");
});

test("the doctor says which limit was reached when PostgreSQL has no connection left", () => {
  const postgres = loadConfig({ ...NOWHERE, DATABASE_URL: "postgres://parley@127.0.0.1/parley" });
  const refusal = Object.assign(new Error("remaining connection slots are reserved"), { code: "53300" });
  expect(checkDatabase(postgres, refusal)[0]?.text).toMatch(/raise max_connections .* PARLEY_POSTGRES_POOL/);
});

test.each([
  ["SQLITE_NOTADB", "file is not a database", /restore a backup/],
  // A folder that another user owns, or that is mounted read-only, is no reason to discard a database.
  ["SQLITE_CANTOPEN", "unable to open database file", /can write .*parley\.sqlite and its folder/],
])("the doctor gives the right advice about a database that cannot be read because of %s", (code, message, advice) => {
  const [finding] = checkDatabase(config, Object.assign(new Error(message), { code }));
  expect([finding?.check, finding?.state]).toEqual(["database", "problem"]);
  expect(finding?.text).toContain(message);
  expect(finding?.text).toMatch(advice);
});
