import { expect, test } from "bun:test";
import { factsOf } from "../support/exports/facts.ts";
import { exported, imported } from "../support/exports/round-trip.ts";
import { fillServer } from "../support/exports/scene.ts";
import { startTestServer } from "../support/servers/test-server.ts";

test.each(["mattermost", "slack"])("try %s", async (format) => {
  await using server = await startTestServer({ rateLimits: "off" });
  await fillServer(server);
  const { path, line } = await exported(server, format);
  console.log(JSON.stringify(line, null, 1));
  await using other = await startTestServer({ rateLimits: "off" });
  const result = await imported(other, format, path);
  console.log(result.err, result.out);
  expect(result.code).toBe(0);
  expect(await factsOf(other.ctx.db)).toEqual(await factsOf(server.ctx.db));
});
