import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readHookBody } from "./read-hook-body.ts";
import { cutToMessage, slackText, textOfPayload } from "./slack-text.ts";

/**
 * Payloads of real programs, written from their public documentation and sources:
 * grafana.com/docs/grafana/latest/alerting (webhook and Slack contact points), prometheus.io/docs/alerting/latest/configuration
 * (`webhook_config`, `slack_config`), and github.com/louislam/uptime-kuma, server/notification-providers (webhook.js, slack.js).
 */
const read = async (name: string) => {
  const bytes = await Bun.file(join(import.meta.dir, "test-data", `${name}.json`)).bytes();
  return readHookBody("application/json; charset=utf-8", bytes);
};

describe("reads what is sent by", () => {
  test("Grafana's webhook: its own text", async () => {
    const call = await read("grafana");
    expect(call.content).toStartWith("**Firing**\n\nLabels:\n - alertname = High memory usage");
    expect(call.isOwnForm).toBeTrue();
  });

  test("Grafana's contact point for Slack", async () => {
    expect((await read("grafana-slack")).content).toBe(
      "[FIRING:1 High memory usage (blue us-1)](https://play.grafana.org/alerting/list)\n**Firing**\n\nValue: B=44.2\nLabels:\n - alertname = High memory usage\n\nGrafana v11.0.0",
    );
  });

  test("Alertmanager's webhook: a line for each alert", async () => {
    expect((await read("alertmanager")).content).toBe(
      [
        "**FIRING (2)**",
        "- firing **InstanceDown** on db1:9100: Instance db1:9100 down",
        "- resolved **InstanceDown** on db2:9100: Instance db2:9100 down",
        "http://alertmanager.example.org:9093",
      ].join("\n"),
    );
  });

  test("Alertmanager for Slack", async () => {
    expect((await read("alertmanager-slack")).content).toBe(
      "[FIRING:1 InstanceDown (db1:9100 node page)](http://alertmanager.example.org:9093/#/alerts?receiver=parley)",
    );
  });

  test("Uptime Kuma, by itself and for Slack", async () => {
    expect((await read("uptime-kuma")).content).toBe("[Shop] [🔴 Down] connect ECONNREFUSED 192.0.2.10:443");
    expect((await read("uptime-kuma-slack")).content).toBe(
      "**🔴 Shop went down**\n\n*Message*\nconnect ECONNREFUSED 192.0.2.10:443\n\n2026-11-25 10:00:00",
    );
  });
});

test.each([
  ["<https://a.example|text>", "[text](https://a.example)"],
  ["<https://a.example>", "https://a.example"],
  ["<mailto:a@b.example|write>", "[write](mailto:a@b.example)"],
  ["<javascript:alert(1)|x>", "x"],
  ["<https://a.example/(b)|[t](https://evil.example)>", "[t(https://evil.example)](https://a.example/(b%29)"],
  ["<@U123> <@U123|ann> <!here> <!subteam^S1|@ops> <#C1|general>", "@U123 @ann @here @ops #general"],
  ["a &lt; b &amp;&amp; c &gt; d &amp;lt;", "a < b && c > d &lt;"],
])("%s → %s", (text, wanted) => {
  expect(slackText(text)).toBe(wanted);
});

test("reads fields of any type without an error, and lists only as far as a message can be long", () => {
  const odd = { text: 7, blocks: [null, 1, { type: "section", text: [] }], attachments: { length: 1e9 } };
  expect(textOfPayload(odd)).toBe("7");
  const many = Array.from({ length: 60_000 }, () => ({ text: "x" }));
  expect(textOfPayload({ attachments: many }).length).toBeLessThan(400);
  expect(textOfPayload({ blocks: [{ type: "divider" }, { type: "image" }], text: "y" })).toBe("---");
});

test("cuts between characters, never inside one", () => {
  expect(cutToMessage("🔴".repeat(4_000))).toBe("🔴".repeat(4_000));
  expect([...cutToMessage("🔴".repeat(4_001))]).toHaveLength(4_000);
  expect(cutToMessage("🔴".repeat(9_000)).isWellFormed()).toBeTrue();
});
