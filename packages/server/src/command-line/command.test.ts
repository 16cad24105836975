import { expect, test } from "bun:test";
import { argumentsOf, type Command, withWords } from "./command.ts";

const command = (usage: string, json?: false): Command => ({
  name: "try",
  usage,
  summary: "",
  details: "",
  ...(json === undefined ? {} : { json }),
  load: () => Promise.reject(new Error("not loaded")),
});
const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

test.each([
  ["", {}, []],
  ["<payout_id> <tx_hash>", {}, ["payout_id", "tx_hash"]],
  ["<url or file>", {}, ["url or file"]],
  ["[--open] [--state <state>] [--limit <count>]", { open: flag, state: text, limit: text }, []],
  ["<slug> --amount <digits> [--chain evm|solana]", { amount: text, chain: text }, ["slug"]],
  ["<file> [--sort [up|down]]", { sort: text }, ["file"]],
  ["<file> [--with-files <folder>]", { "with-files": text }, ["file"]],
])("the usage `%s` says what a command takes", (usage, options, positionals) => {
  expect(argumentsOf(command(usage))).toEqual({ options: { ...options, json: flag }, positionals });
});

test("a command that prints no records takes no --json", () => {
  expect(argumentsOf(command("", false)).options).toEqual({});
});

test.each([
  [
    ["a.zip", "--sort"],
    ["a.zip", "--sort=up"],
  ],
  [
    ["--sort", "a.zip"],
    ["--sort=up", "a.zip"],
  ],
  [
    ["--sort", "down", "a.zip"],
    ["--sort=down", "a.zip"],
  ],
  [
    ["--sort=down", "--open"],
    ["--sort=down", "--open"],
  ],
])("a word that may be left out: %p is %p", (args, all) => {
  expect(withWords(command("<file> [--sort [up|down]] [--open]"), args)).toEqual(all);
});
