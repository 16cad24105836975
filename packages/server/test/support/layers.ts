/**
 * The layers of packages/server/src, lowest first, and what each may import (ARCHITECTURE.md, "Who may know whom"). A path belongs to
 * the first layer whose pattern it matches.
 */
const SLICES =
  "accounts|audit|ledger|event-log|onchain|points|channels|messages|stickers|search|agents|key-claims|lookups|chains|red-packets|payments|payouts|administration|privacy|operations|documents|web";

const LAYERS: readonly { name: string; pattern: RegExp; may: readonly string[] }[] = [
  { name: "main", pattern: /^main\.ts$/, may: ["command line"] },
  {
    name: "command line",
    pattern: /^command-line\//,
    may: ["command line", "server", "slice", "context", "platform", "base", "manifest"],
  },
  { name: "server", pattern: /^server\.ts$/, may: ["app", "gateway", "slice", "context", "platform", "base"] },
  { name: "app", pattern: /^app\.ts$/, may: ["routes", "gateway", "slice", "context", "platform", "base"] },
  { name: "gateway", pattern: /^gateway\//, may: ["gateway", "slice", "context", "platform", "base"] },
  {
    name: "routes",
    pattern: new RegExp(`^(${SLICES})/.*\\.routes\\.ts$`),
    may: ["slice", "context", "platform", "base"],
  },
  { name: "store", pattern: new RegExp(`^(${SLICES})/.*\\.store\\.ts$`), may: ["store", "slice", "platform", "base"] },
  {
    name: "slice",
    pattern: new RegExp(`^(${SLICES})/`),
    may: ["slice", "store", "context", "platform", "base", "manifest"],
  },
  { name: "context", pattern: /^context\.ts$/, may: ["platform", "base"] },
  {
    name: "platform",
    pattern: /^(db|realtime|http|rate-limit)\//,
    may: ["platform", "context", "base"],
  },
  {
    name: "base",
    pattern: /^(errors|clock)\.ts$|^(base|config|logging|metrics|media|unicode)\//,
    may: ["base"],
  },
  { name: "manifest", pattern: /^\.\.\/package\.json$/, may: [] },
];

/** Why a file may not import another one; undefined when it may. Both paths are from packages/server/src. */
export function layerProblem(from: string, to: string): string | undefined {
  const [source, target] = [layerOf(from), layerOf(to)];
  if (source === undefined) return "belongs to no layer; say in test/support/layers.ts to which";
  if (target === undefined) return `imports ${to}, which belongs to no layer; say in test/support/layers.ts to which`;
  const own = folderOf(from) === folderOf(to);
  // The routes of one slice may be spread over files.
  if (!source.may.includes(target.name) && !(source.name === "routes" && target.name === "routes" && own)) {
    return `imports ${to}; ${source.name} may know ${source.may.join(", ")}, not ${target.name}`;
  }
  if (target.name === "store" && !own) {
    return `imports ${to}; ask that slice's service, its store is its own`;
  }
  if (source.name === "store" && to.endsWith(".service.ts")) return `imports ${to}; a store holds SQL only`;
  return undefined;
}

function layerOf(path: string): (typeof LAYERS)[number] | undefined {
  return LAYERS.find(({ pattern }) => pattern.test(path));
}

const folderOf = (path: string): string => path.split("/")[0] ?? "";
