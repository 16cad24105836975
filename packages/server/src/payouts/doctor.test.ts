import { expect, test } from "bun:test";
import { join } from "node:path";
import { cliProcess } from "../../test/support/cli.ts";
import { temporaryFolder } from "../../test/support/config.ts";

/** Settings of a server that pays on a chain it cannot reach. */
const TREASURY = {
  PARLEY_EVM_RPC_URL: "http://127.0.0.1:1",
  PARLEY_EVM_CHAIN_ID: "31337",
  PARLEY_EVM_TREASURY_KEY: `0x${"1".repeat(64)}`,
};

type Finding = Record<"check" | "state" | "text", string>;

/** Returns the doctor's findings on payouts. */
async function ofPayouts(env: Record<string, string>): Promise<string[]> {
  const { out } = await cliProcess(["doctor", "--json"], { PORT: "0", PARLEY_BLUESKY_API_URL: "off", ...env });
  const findings: Finding[] = JSON.parse(out).findings;
  return findings.filter(({ check }) => check === "payouts").map(({ state, text }) => `${state}: ${text}`);
}

test("the doctor reports that payouts are paused after a restore only if the server has payouts", async () => {
  const env = { PARLEY_DATA_DIR: temporaryFolder() };
  const file = join(temporaryFolder(), "copy.sqlite");
  await cliProcess(["migrate"], env);
  expect(await cliProcess(["backup", file], env)).toMatchObject({ code: 0 });

  const points = await cliProcess(["restore", file], env);
  expect([points.code, points.out.includes("payouts resume")]).toEqual([0, false]);
  expect(await ofPayouts(env)).toEqual(["ok: nothing is owed"]);

  const paying = await cliProcess(["restore", file], { ...env, ...TREASURY });
  expect([paying.code, paying.out.includes("payouts resume")]).toEqual([0, true]);
  const [finding = ""] = await ofPayouts({ ...env, ...TREASURY });
  expect(finding).toStartWith("problem: the database was restored");
});
