import { expect, test } from "bun:test";
import { join } from "node:path";
import { cliProcess } from "../../server/test/support/cli.ts";
import { temporaryFolder } from "../../server/test/support/config.ts";
import { ChildServer, freePort } from "../../server/test/support/servers/child-server.ts";
import { eventually } from "../../server/test/support/servers/test-server.ts";
import { AgentClient } from "../src/agent-client.ts";
import { QUICK, registered } from "./support/clients.ts";

test("after a restore messages() repeats nothing it has yielded and misses nothing said since", async () => {
  const dataDir = temporaryFolder();
  const env = { PARLEY_DATA_DIR: dataDir };
  const copy = join(temporaryFolder(), "copy.sqlite");
  await using server = new ChildServer(dataDir, freePort());
  await server.start();
  const { api_key } = JSON.parse((await cliProcess(["key", "issue", "--agent", "Scout", "--json"], env)).out);
  const ana = await registered(server.url, "ana", { maxRetries: 1_000 });
  const say = (content: string) => ana.messages.send({ channel_slug: "general", content });
  const agent = () => new AgentClient({ url: server.url, apiKey: api_key, name: "Scout", backoff: QUICK });

  for (const text of ["one", "two"]) await say(text);
  await cliProcess(["backup", copy], env);
  for (const text of ["lost 1", "lost 2"]) await say(text);

  const stop = new AbortController();
  const { epoch, last_seq } = await agent().login("general");
  const read: string[] = [];
  const follow = async (afterSeq: number, name: string) => {
    for await (const { content } of agent().messages("general", { afterSeq: afterSeq, signal: stop.signal }))
      read.push(`${name}: ${content}`);
  };
  // One has read everything; the other resumes from an earlier run, and has read nothing in this one.
  const following = [follow(0, "all"), follow(last_seq, "new")];
  await eventually("all is read", () => read.length === 4);
  await say("lost 3");
  await eventually("both have heard it", () => read.length === 6);
  read.length = 0;

  expect(await server.end("SIGTERM")).toBe(0);
  expect((await cliProcess(["restore", copy], env)).code).toBe(0);
  await server.start();
  // As many as were lost, plus one: they get the same numbers.
  const said = ["new 1", "new 2", "new 3", "new 4"];
  for (const text of said) await say(text);
  expect((await agent().login("general")).epoch).not.toBe(epoch);
  await eventually("the last is read", () => read.filter((text) => text.endsWith("new 4")).length === 2);
  expect(read.filter((text) => text.startsWith("all"))).toEqual(said.map((text) => `all: ${text}`));
  expect(read.filter((text) => text.startsWith("new:"))).toEqual(said.map((text) => `new: ${text}`));
  stop.abort();
  await Promise.all(following);
});
