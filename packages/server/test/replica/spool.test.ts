import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Spool } from "../../src/replica/spool.ts";
import { temporaryFolder } from "../support/config.ts";

const CHAIN = "000001-aaaabbbb";

test("a spool without a whole record, and one of two chains, is not continued", () => {
  const spool = new Spool(join(temporaryFolder(), "parley.sqlite"));
  expect(spool.read("e")).toBeNull();
  mkdirSync(spool.folderOf(CHAIN));
  writeFileSync(join(spool.folderOf(CHAIN), "00000001-0123abcd"), '{"n":1,"previous":');
  expect(spool.read("e")).toBeNull();
  mkdirSync(spool.folderOf("000002-aaaabbbb"));
  expect(spool.read("e")).toBeNull();
  spool.clear();
  expect(spool.read("e")).toBeNull();
});
