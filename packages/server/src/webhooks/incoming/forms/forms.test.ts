import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readHookBody } from "../read-hook-body.ts";
import { cutToMessage } from "./fields.ts";
import { payloadText } from "./payload-text.ts";

/**
 * Payloads of real programs, written from their public documentation and sources:
 * grafana.com/docs/grafana/latest/alerting (webhook and Slack contact points), prometheus.io/docs/alerting/latest/configuration
 * (`webhook_config`, `slack_config`), and github.com/louislam/uptime-kuma, server/notification-providers (webhook.js, slack.js).
 */
const read = async (name: string, more: Record<string, string> = {}) => {
  const bytes = await Bun.file(join(import.meta.dir, "test-data", `${name}.json`)).bytes();
  return readHookBody(new Headers({ "content-type": "application/json; charset=utf-8", ...more }), bytes);
};
const textOfPayload = (payload: Record<string, unknown>) => payloadText(payload, new Headers());

describe("reads what is sent by", () => {
  test("Grafana's webhook: its own text", async () => {
    const call = await read("grafana");
    expect(call.content).toStartWith("**Firing**\n\nLabels:\n - alertname = High memory usage");
    expect(call.isOwnForm).toBeTrue();
  });

  test("Grafana's contact point for Slack", async () => {
    expect((await read("grafana-slack")).content).toBe(
      "[[FIRING:1] High memory usage (blue us-1)](https://play.grafana.org/alerting/list)\n**Firing**\n\nValue: B=44.2\nLabels:\n - alertname = High memory usage\n\nGrafana v11.0.0 · 2021-10-12 07:51 UTC",
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
      "[[FIRING:1] InstanceDown (db1:9100 node page)](http://alertmanager.example.org:9093/#/alerts?receiver=parley)",
    );
  });

  test("Uptime Kuma, by itself and for Slack", async () => {
    expect((await read("uptime-kuma")).content).toBe("[Shop] [🔴 Down] connect ECONNREFUSED 192.0.2.10:443");
    expect((await read("uptime-kuma-slack")).content).toBe(
      "**🔴 Shop went down**\n\n**Message**\nconnect ECONNREFUSED 192.0.2.10:443\n\n[Visit Uptime Kuma](https://status.example.org/dashboard/1)\n\n2026-11-25 10:00:00",
    );
  });
});

describe("reads the native payload of", () => {
  test.each([
    [
      "GitHub's push",
      "github-push",
      { "x-github-event": "push" },
      [
        "**baxterthehacker** pushed 1 commit to main in [baxterthehacker/public-repo](https://github.com/baxterthehacker/public-repo)",
        "- [59b20b8d](https://github.com/baxterthehacker/public-repo/commit/59b20b8d5c6f) Fix the [parser] for a < b (baxterthehacker)",
        "[Compare](https://github.com/baxterthehacker/public-repo/compare/6113728f27ae...59b20b8d5c6f)",
      ],
    ],
    [
      "GitHub's pull request",
      "github-pull-request",
      { "x-github-event": "pull_request" },
      [
        "**octocat** opened pull request in [octocat/Hello-World](https://github.com/octocat/Hello-World)",
        "[#1347 Amazing new feature](https://github.com/octocat/Hello-World/pull/1347) · open",
        "Please pull these awesome changes in!",
      ],
    ],
    [
      "GitHub's workflow",
      "github-workflow-run",
      { "x-github-event": "workflow_run" },
      [
        "**monalisa** completed workflow run in [octo-org/octo-repo](https://github.com/octo-org/octo-repo)",
        "[Build](https://github.com/octo-org/octo-repo/actions/runs/30433642) · failure",
      ],
    ],
    [
      "Gitea's push",
      "gitea-push",
      { "x-gitea-event": "push" },
      [
        "**gitea** pushed 1 commit to develop in [gitea/webhooks](http://git.example.org/gitea/webhooks)",
        "- [bffeb742](http://git.example.org/gitea/webhooks/commit/bffeb74) Webhooks Yay! (gitea)",
        "[Compare](http://git.example.org/gitea/webhooks/compare/28e1879...bffeb74)",
      ],
    ],
    [
      "GitLab's push",
      "gitlab-push",
      {},
      [
        "**jsmith** pushed 4 commits to master in [mike/diaspora](http://gitlab.example.org/mike/diaspora)",
        "- [b6568db1](http://gitlab.example.org/mike/diaspora/commit/b6568db1bc1d) Update Catalan translation to e38cb41. (Jordi Mallach)",
        "- and 3 more",
      ],
    ],
    [
      "GitLab's merge request",
      "gitlab-merge-request",
      {},
      [
        "**Administrator** merge request open in [gitlabhq/gitlab-test](http://gitlab.example.org/gitlabhq/gitlab-test)",
        "[!1 MS-Viewport](http://gitlab.example.org/diaspora/merge_requests/1)",
        "Makes the page [responsive]",
      ],
    ],
    [
      "GitLab's pipeline",
      "gitlab-pipeline",
      {},
      [
        "**Administrator** pipeline failed in [gitlabhq/gitlab-test](http://gitlab.example.org/gitlabhq/gitlab-test)",
        "[#3 master](http://gitlab.example.org/gitlabhq/gitlab-test/-/pipelines/31)",
        "[test](http://gitlab.example.org/gitlabhq/gitlab-test/commit/bcbb5ec396a2)",
      ],
    ],
    [
      "Sentry's issue",
      "sentry-issue",
      { "sentry-hook-resource": "issue" },
      [
        "**Sentry** · created",
        "[ReferenceError: heck is not defined](https://sentry.example.org/issues/1170820242/)",
        "?(<anonymous>)",
        "error · front-end",
      ],
    ],
    [
      "Sentry's alert",
      "sentry-alert",
      { "sentry-hook-resource": "event_alert" },
      [
        "**Sentry** · triggered · Very Important Alert Rule!",
        "[ReferenceError: blooopy is not defined](https://sentry.example.org/organizations/test-org/issues/1117540176/events/e4874d664c30/)",
        "?(<anonymous>)",
        "error",
      ],
    ],
    [
      "Sentry's older plugin",
      "sentry-plugin",
      {},
      ["**Sentry** · Shop · error", "[KeyError: 'total'](https://sentry.example.org/issues/7/)", "shop.views in pay"],
    ],
    [
      "Discord's form",
      "discord",
      {},
      [
        "Since 2025-06-15 15:06 UTC :blob: it is **up**",
        "",
        "[Radarr](https://radarr.example.org)",
        "[Movie [2026] Grabbed](https://radarr.example.org/movie/1)",
        "Overview of the movie",
        "**Quality** Bluray-1080p",
        "**Group** none",
        "https://radarr.example.org/fanart.jpg",
        "v5 · 2026-11-25 10:00 UTC",
      ],
    ],
    ["Apprise", "apprise", {}, ["**Backup [nightly]**", "3 of 4 hosts < 5 min"]],
    [
      "Slack's blocks",
      "slack-deploy",
      {},
      [
        "**CI**",
        "",
        "**Build** of [api [v2]](https://ci.example/1) is ~~pending~~ **failed** since Jun 15",
        "[Open log](https://ci.example/1/log)",
        "",
        "[Coverage](https://ci.example/1.png)",
        "",
        "Retry · [Docs](https://ci.example/docs)",
        "",
        "Deploy of **api** 🚀[build 1](https://ci.example/1)",
        "",
        "1. first",
        "2. ~~second~~",
        "",
        "> it works",
        "",
        "```\nnpm ci\n```",
        "",
        "**done**",
      ],
    ],
  ] as [string, string, Record<string, string>, string[]][])("%s", async (_, name, headers, wanted) => {
    expect((await read(name, headers)).content).toBe(wanted.join("\n"));
  });
});

/** All words that a payload says to people, whatever marks are around them. */
const SAYING = new Set([
  "text",
  "title",
  "message",
  "body",
  "description",
  "name",
  "value",
  "content",
  "alt_text",
  "msg",
  "footer",
]);
function wordsIn(value: unknown, key = ""): string[] {
  if (typeof value === "string") return SAYING.has(key) ? (value.match(/[\p{L}\p{N}]+/gu) ?? []) : [];
  if (Array.isArray(value)) return value.flatMap((each) => wordsIn(each, key));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, each]) => wordsIn(each, name));
}

test.each(["slack-deploy", "discord", "apprise", "grafana-slack", "alertmanager-slack", "uptime-kuma-slack"])(
  "keeps every word of %s",
  async (name) => {
    const payload = await Bun.file(join(import.meta.dir, "test-data", `${name}.json`)).json();
    if (payload.blocks !== undefined) payload.text = undefined;
    const { content } = await read(name);
    const missing = wordsIn(payload).filter((word) => !content.includes(word));
    // Moments and emoji are shown as such.
    expect(missing.filter((word) => !/^(t|1750000000|R|123456789012345678|date|short|rocket)$/.test(word))).toEqual([]);
  },
);

test("counts all alerts, also those that were left out", () => {
  const alerts = Array.from({ length: 130 }, (_, n) => ({ status: "firing", labels: { alertname: `A${n}` } }));
  const text = textOfPayload({ status: "firing", alerts, truncatedAlerts: 7 });
  expect(text).toStartWith("**FIRING (137)**\n- firing **A0**\n");
  expect(text).toEndWith("- firing **A99**\n- and 37 more");
  const grafana = { receiver: "x", status: "firing", title: "[FIRING:1] CPU", message: "", alerts: alerts.slice(0, 1) };
  const bytes = new TextEncoder().encode(JSON.stringify(grafana));
  expect(readHookBody(new Headers(), bytes).content).toBe("**[FIRING:1] CPU**\n- firing **A0**");
});

test.each([
  ["application/x-www-form-urlencoded", '{"text":"x"}', "Content-Type: application/json"],
  ["application/json", "payload=%7B%7D", "Content-Type: application/x-www-form-urlencoded"],
  ["text/xml", "<x/>", "text/xml"],
  ["multipart/form-data", "--x", "multipart/form-data"],
])("a body of the type %s that is %s is refused with what to send", (type, body, said) => {
  const read = () => readHookBody(new Headers({ "content-type": type }), new TextEncoder().encode(body));
  expect(read).toThrow(said);
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
