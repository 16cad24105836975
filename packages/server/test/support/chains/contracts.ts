import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

const require = createRequire(import.meta.url);
const SOURCE = join(import.meta.dir, "contracts/tokens.sol");
const CACHE = join(import.meta.dir, "../../../../../node_modules/.cache/parley-contracts");
const SOLC = "0.8.37";
const OPENZEPPELIN = "5.7.0";

export interface Compiled {
  abi: Abi;
  bytecode: Hex;
}

export type ContractName =
  | "TestToken"
  | "FeeToken"
  | "FalseToken"
  | "Liar"
  | "Passer"
  | "Refuser"
  | "Burner"
  | "SignedToken"
  | "OlderSignedToken"
  | "SignedFeeToken";

let compiled: Record<ContractName, Compiled> | undefined;

/**
 * The contracts of contracts/tokens.sol. Compiling takes a second or two, so the result is cached until the source
 * changes.
 */
export function contracts(): Record<ContractName, Compiled> {
  compiled ??= readCache() ?? compile();
  return compiled;
}

function cacheFile(): string {
  const key = new Bun.CryptoHasher("sha256").update(`${SOLC} ${OPENZEPPELIN} ${readFileSync(SOURCE, "utf8")}`);
  return join(CACHE, `${key.digest("hex")}.json`);
}

function readCache(): Record<ContractName, Compiled> | undefined {
  try {
    return JSON.parse(readFileSync(cacheFile(), "utf8"));
  } catch {
    return undefined; // not there yet
  }
}

interface Output {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<ContractName, { abi: Abi; evm: { bytecode: { object: string } } }>>;
}

function compile(): Record<ContractName, Compiled> {
  const solc = require("solc") as { compile(input: string, callbacks: object): string };
  const input = {
    language: "Solidity",
    sources: { "tokens.sol": { content: readFileSync(SOURCE, "utf8") } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const load = (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") });
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input), { import: load }));
  const errors = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const entries = Object.entries(output.contracts["tokens.sol"] ?? {});
  const made = Object.fromEntries(
    entries.map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }]),
  ) as Record<ContractName, Compiled>;
  keep(made);
  return made;
}

/** Written atomically, because other test processes read it at the same time. */
function keep(made: Record<ContractName, Compiled>): void {
  mkdirSync(CACHE, { recursive: true });
  const draft = join(CACHE, `${process.pid}.draft`);
  writeFileSync(draft, JSON.stringify(made));
  renameSync(draft, cacheFile());
}
