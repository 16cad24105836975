import { counted } from "../../base/counted.ts";
import { readConfig } from "../../config/load-config.ts";
import { productionAdvice } from "../../config/production.ts";
import { inspectDatabase } from "../../db/inspect.ts";
import type { Finding, Module } from "../../module.ts";
import { MODULES } from "../../modules.ts";
import { type Invocation, print } from "../command.ts";
import { checkDatabase, checkDisk, checkFolder, checkPort, checkProxy, checkValue } from "./checks.ts";
import { checkCluster, checkRedis } from "./cluster.ts";

const SIGNS = { ok: "ok      ", advice: "advice  ", problem: "PROBLEM " } as const;

/** Checks everything that the server and its modules need, and changes nothing. */
export async function doctor(call: Invocation, modules: readonly Module[] = MODULES): Promise<number> {
  const findings = await examine(call, modules);
  const problems = findings.filter(({ state }) => state === "problem").length;
  const lines = findings.map(({ state, check, text }) => `${SIGNS[state]}${check}: ${text}`);
  const verdict = problems === 0 ? "Everything is in order." : `${counted(problems, "problem")}.`;
  print(call, { healthy: problems === 0, findings }, [...lines, "", verdict].join("\n"));
  return problems === 0 ? 0 : 1;
}

async function examine({ env, values }: Invocation, modules: readonly Module[]): Promise<Finding[]> {
  const isProduction = values.production === true;
  const { config, problems } = readConfig(isProduction ? { ...env, PARLEY_PROFILE: "production" } : env);
  const settings = problems.map((text): Finding => ({ check: "settings", state: "problem", text }));
  if (isProduction || config.profile === "production") {
    settings.push(...productionAdvice(config).map((text): Finding => ({ check: "settings", state: "advice", text })));
  }
  if (problems.length > 0) return settings;
  const port = await checkPort(config);
  const database = await inspectDatabase(config.database).catch((error: unknown) => error as Error);
  const features: Finding[] = [];
  for (const check of modules.flatMap(({ doctor = [] }) => doctor)) features.push(...(await check(config, database)));
  return [
    { check: "settings", state: "ok", text: `${config.profile} profile; all settings are valid` },
    ...settings,
    ...checkProxy(config),
    ...checkFolder(config),
    checkDisk(config),
    ...checkDatabase(config, database),
    ...(await checkCluster(config, database)),
    ...(await checkRedis(config)),
    ...(await checkValue(config, database, modules)),
    port,
    ...features,
  ];
}
