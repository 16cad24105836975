import { expect, test } from "bun:test";
import type { RecordedCalls } from "./recorded-calls.ts";

/** Tests of the calls that find people, agents and who reacted, and that stop agents. */
export function findingCalls(calls: RecordedCalls): void {
  const { person } = calls;
  test("calls that find users, agents and reactors, and stop agents, return what the server stored", async () => {
    const [ana, ben] = [await person("ana"), await person("ben")];
    expect((await ana.accounts.find("be")).users).toEqual([{ username: "ben", display_name: null, is_online: false }]);
    const status = { emoji: "🌴", text: "On holiday" };
    await ben.accounts.updateUser("ben", { display_name: "贝恩", status });
    const shown = { username: "ben", display_name: "贝恩", status: { ...status, expires_at: null } };
    expect((await ana.accounts.profiles(["ben", "nobody"])).profiles).toEqual([shown]);
    await ben.accounts.clearProfile("ben");
    expect((await ana.accounts.profiles(["ben"])).profiles).toEqual([]);
    expect((await ana.accounts.presence(["ana", "ben"])).online).toEqual([]);
    const { agentId } = await calls.server.agent("Scout");
    expect(await ana.agents.profile("Scout")).toMatchObject({ agent_name: "Scout", owner_username: null });
    const { channel_id } = await ana.channels.create({ name: "Work" });
    expect(await ana.channels.stopAgent(channel_id, { agent_id: agentId })).toMatchObject({ stopped: false });
    const { message_id } = await ana.messages.send({ channel_slug: "general", content: "hello" });
    await ben.messages.react(message_id, "like");
    const { actors } = await ana.messages.reactors(message_id, "like");
    expect(actors).toMatchObject([{ name: "ben" }]);
  });
}
