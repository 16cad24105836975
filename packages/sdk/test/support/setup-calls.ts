import { expect, test } from "bun:test";
import { AgentClient } from "../../src/agent-client.ts";
import type { RecordedCalls } from "./recorded-calls.ts";

/** Tests of the calls about setup codes, about the bots that they may bring, and about commands. */
export function setupCalls(calls: RecordedCalls): void {
  test("calls for setup codes return what the server stored", async () => {
    const ana = await calls.person("ana");
    const made = await ana.agents.setupCodeByName({ agent_name: "Scout", scopes: ["read"] });
    expect(await ana.agents.lookAtSetupCode(made.code ?? "")).toMatchObject({ agent_name: "Scout", scopes: ["read"] });
    const { agent, key } = await AgentClient.setup(made.setup_url ?? "");
    expect([agent.name, key.scopes, (await agent.calls.me()).agent_id]).toEqual(["Scout", ["read"], key.agent_id]);
    const { code, agent_id } = await ana.agents.setupCode(key.agent_id);
    expect([code?.length, agent_id]).toEqual([14, key.agent_id]);
    const { telegram } = await ana.agents.telegram(key.agent_id);
    expect(key.telegram).toEqual({ token: `${telegram?.bot_id}:${key.api_key}`, api_root: telegram?.api_root ?? "" });
  });

  test("an agent declares commands, and readers of a channel list them", async () => {
    const ana = await calls.person("ana");
    const made = await ana.agents.setupCodeByName({ agent_name: "Deployer" });
    const { agent, key } = await AgentClient.setup(made.setup_url ?? "");
    const { channel_id } = await agent.login("general");
    const commands = [{ command: "deploy", description: "Deploy a branch" }];
    expect(await agent.calls.setCommands({ commands })).toMatchObject({ agent_name: "Deployer", commands });
    const listed = await Array.fromAsync(ana.channels.commands(channel_id));
    expect(listed).toEqual([{ agent_id: key.agent_id, agent_name: "Deployer", commands }]);
  });

  test("an agent says what it does in a thread, and readers list it", async () => {
    const ana = await calls.person("ana");
    const made = await ana.agents.setupCodeByName({ agent_name: "Coder" });
    const { agent } = await AgentClient.setup(made.setup_url ?? "");
    const { channel_id } = await agent.login("general");
    const { message_id: root } = await ana.messages.send({ channel_id, content: "Fix the tests" });
    const place = { channel_slug: "general", thread_root_id: root };
    const { session } = await agent.calls.setSession({ ...place, title: "Fix the tests", state: "working" });
    expect(session).toMatchObject({ agent_name: "Coder", title: "Fix the tests", state: "working" });
    expect(await Array.fromAsync(ana.channels.sessions(channel_id, { state: "working" }))).toEqual([session]);
    expect(await Array.fromAsync(ana.agents.sessions())).toEqual([session]);
    const read = { id: "1", title: "config.json", kind: "read", status: "ok" } as const;
    const pieces = ["Done", { activity: [{ ...read, status: "running" }] }, { activity: [read] }, "."] as const;
    const { chat_message } = await agent.stream("general", pieces, { fields: { thread_root_id: root } });
    expect([chat_message.content, chat_message.activity]).toEqual(["Done.", [read]]);
  });
}
