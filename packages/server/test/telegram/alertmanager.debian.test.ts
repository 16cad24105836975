import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { freePort } from "../support/servers/child-server.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

/** Alertmanager of Debian, whose receiver for Telegram only needs `api_url` (protocol §15). */
test("Alertmanager sends an alert and its end to a channel", async () => {
  await using server = await startTestServer();
  const ann = await server.user("ann");
  const bot = await testBot(server, "Alarm");
  const folder = temporaryFolder();
  const config = {
    route: { receiver: "parley", group_wait: "1s", group_interval: "1s", repeat_interval: "1h" },
    receivers: [
      {
        name: "parley",
        telegram_configs: [
          { api_url: bot.apiRoot, bot_token: bot.token, chat_id: -1_000_000_000_001, parse_mode: "HTML" },
        ],
      },
    ],
  };
  // YAML reads JSON.
  writeFileSync(join(folder, "alertmanager.yml"), JSON.stringify(config));
  const port = freePort();
  const child = Bun.spawn(
    [
      "prometheus-alertmanager",
      `--config.file=${join(folder, "alertmanager.yml")}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--cluster.listen-address=",
      "--log.level=warn",
    ],
    { stdout: "inherit", stderr: "inherit" },
  );
  const url = `http://127.0.0.1:${port}`;
  const alert = { labels: { alertname: "DiskFull", instance: "a<b" }, annotations: { summary: "90 % of _sda_ & *" } };
  const tell = (more: object = {}) =>
    fetch(`${url}/api/v2/alerts`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ ...alert, ...more }]),
    });
  const sent = async (word: string) => {
    const { messages } = (await ann.get("/api/messages?channel_slug=general")).body;
    return messages.find(({ content }: { content: string }) => content.includes(word));
  };
  try {
    await eventually("it listens", async () => (await fetch(`${url}/-/ready`).catch(() => null))?.ok);
    expect((await tell()).status).toBe(200);
    const firing = await eventually("the alert is a message", () => sent("Firing"));
    expect(firing.agent_name).toBe("Alarm");
    // The template of Alertmanager escapes the sign for HTML; it shows as it was sent.
    for (const text of ["Alerts Firing:", "alertname = DiskFull", "instance = a\\<b", "90 % of \\_sda\\_ & \\*"])
      expect(firing.content).toContain(text);
    await tell({ endsAt: new Date(Date.now() - 1_000).toISOString() });
    await eventually("its end is a message", () => sent("Resolved"));
  } finally {
    child.kill();
    await child.exited;
  }
});
