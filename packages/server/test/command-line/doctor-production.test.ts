import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";

interface Finding {
  check: string;
  state: "ok" | "advice" | "problem";
  text: string;
}

/** Runs `parley doctor --production` with these settings and returns its findings about settings. */
async function settingsFindings(env: Record<string, string>, ...options: string[]) {
  const { code, out } = await cli(["doctor", ...options, "--json"], {
    PORT: "0",
    PARLEY_BLUESKY_API_URL: "off",
    ...env,
  });
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return { code, settings: findings.filter(({ check }) => check === "settings") };
}

const textsOf = (findings: readonly Finding[], state: Finding["state"]): string =>
  findings
    .filter((finding) => finding.state === state)
    .map(({ text }) => text)
    .join("\n");

describe("parley doctor --production", () => {
  test("lists every unsafe setting of a development configuration in one run", async () => {
    const dataDir = temporaryFolder();
    chmodSync(dataDir, 0o755);
    const { code, settings } = await settingsFindings(
      {
        PARLEY_DATA_DIR: dataDir,
        PARLEY_PUBLIC_URL: "http://chat.example.org",
        PARLEY_ALLOWED_ORIGINS: "*",
        PARLEY_RATE_LIMITS: "off",
        PARLEY_METRICS_PUBLIC: "true",
        PARLEY_PAYMENT_ALLOW_UNBOUND: "true",
        PARLEY_CLAIM_STRICT: "false",
        PARLEY_TRUSTED_PROXIES: "0.0.0.0/0",
      },
      "--production",
    );
    expect(code).toBe(1);
    const problems = textsOf(settings, "problem");
    for (const name of ["PARLEY_PUBLIC_URL", "PARLEY_ALLOWED_ORIGINS", "PARLEY_RATE_LIMITS", "PARLEY_DATA_DIR"]) {
      expect(problems).toContain(name);
    }
    const advice = textsOf(settings, "advice");
    for (const name of ["PARLEY_METRICS_PUBLIC", "PARLEY_PAYMENT_ALLOW_UNBOUND", "PARLEY_CLAIM_STRICT", "0.0.0.0/0"]) {
      expect(advice).toContain(name === "0.0.0.0/0" ? "trusts every address" : name);
    }
  });

  test("accepts the same settings for development without the option", async () => {
    const { code, settings } = await settingsFindings({ PARLEY_DATA_DIR: temporaryFolder() });
    expect({ code, settings }).toEqual({
      code: 0,
      settings: [{ check: "settings", state: "ok", text: "development profile; all settings are valid" }],
    });
  });

  test("finds no unsafe setting in a careful configuration", async () => {
    const { settings } = await settingsFindings(
      {
        PARLEY_DATA_DIR: temporaryFolder(),
        PARLEY_PUBLIC_URL: "https://chat.example.org",
        PARLEY_TRUSTED_PROXIES: "127.0.0.1",
        PARLEY_CLAIM_STRICT: "true",
        PARLEY_PAYMENT_ALLOW_UNBOUND: "false",
        HOST: "127.0.0.1",
      },
      "--production",
    );
    expect(textsOf(settings, "problem")).toBe("");
    // The tests may run as root, which has its own advice.
    expect(textsOf(settings, "advice").replace(/^Parley runs as root.*$/m, "")).toBe("");
  });
});
