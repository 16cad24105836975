import { expect, test } from "bun:test";
import type { SignedDecision } from "@parley/protocol/card-calls";
import { askCard, asked, buttons, pressCard } from "../support/cards.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { type Answered, type Client, startTestServer } from "../support/servers/test-server.ts";

const code = ({ status, body }: Answered) => [status, body.code];

/** Protocol §12.6: a channel's rule narrows who decides what agents ask there. */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const [agent, ann, ben, cleo] = [
    await server.agent("Coder"),
    await server.user("ann"),
    await server.user("ben"),
    await server.user("cleo"),
  ];

  async function room(rule: object | null = null) {
    const made = await newChannel(ann, rule === null ? {} : { approval_rule: rule });
    for (const who of [ben, cleo]) await who.post("/api/messages", { channel_id: made.id, content: "hello" });
    return { ...made, give: (name: string, role: string) => setRole(made.id, name, role) };
  }
  const setRole = async (id: number, name: string, role: string) =>
    expect((await ann.put(`/api/channels/${id}/members/${name}`, { role })).status).toBe(200);
  const setRule = (id: number, approval_rule: unknown, who: Client = ann) =>
    who.put(`/api/channels/${id}`, { approval_rule });
  const askAll = (channel_slug: string, more: object = {}) =>
    asked(agent, { channel_slug, interaction: { who: { users: ["ann", "ben", "cleo"] }, ...more } });
  const signed = async (id: number): Promise<SignedDecision> =>
    JSON.parse((await ann.get(`/api/interactions/${id}`)).body.receipt.signed);

  test("asks for a role, decided with the role of now, and the receipt says so", async () => {
    const { id, slug, give } = await room({ role: "admin", quorum: 1 });
    const question = await askAll(slug);
    expect(code(await pressCard(ben, question.interaction_id, "approve"))).toEqual([403, "not_allowed_to_answer"]);
    expect(code(await pressCard(ben, question.interaction_id, "deny"))).toEqual([403, "not_allowed_to_answer"]);
    await give("ben", "admin");
    const pressed = await pressCard(ben, question.interaction_id, "approve");
    expect(pressed.body.interaction).toMatchObject({ status: "decided", quorum: 1 });
    expect(await signed(question.interaction_id)).toMatchObject({ rule: { role: "admin", quorum: 1 }, quorum: 1 });
    // A role alone gives no right that the card does not give.
    const other = await asked(agent, { channel_slug: slug, interaction: { who: { users: ["ann"] } } });
    expect(code(await pressCard(ben, other.interaction_id, "approve"))).toEqual([403, "not_allowed_to_answer"]);
    const choice = await asked(agent, {
      channel_slug: slug,
      components: buttons("a", "b"),
      interaction: { kind: "choice", who: { roles: ["member"] } },
    });
    expect(code(await pressCard(cleo, choice.interaction_id, "a"))).toEqual([403, "not_allowed_to_answer"]);
    const poll = await asked(agent, {
      channel_slug: slug,
      components: buttons("a", "b"),
      interaction: { kind: "open", who: { roles: ["member"] } },
    });
    expect((await pressCard(cleo, poll.interaction_id, "a")).status).toBe(200);
    const newcomer = await server.newUser();
    const named = await asked(agent, { channel_slug: slug, interaction: { who: { users: [newcomer.username] } } });
    expect(code(await pressCard(newcomer, named.interaction_id, "approve"))).toEqual([403, "not_allowed_to_answer"]);
    const { members } = (await ann.get(`/api/channels/${id}/members`)).body;
    expect(JSON.stringify(members)).not.toContain(newcomer.username);
  });

  test("asks for two people, of those who have the role when the last one presses", async () => {
    const { id, slug, give } = await room();
    const question = await askAll(slug);
    const two = await askAll(slug, { quorum: 2 });
    expect((await pressCard(ben, two.interaction_id, "approve")).body.interaction.status).toBe("open");
    expect((await setRule(id, { role: "member", quorum: 2 })).status).toBe(200);
    const first = await pressCard(ben, question.interaction_id, "approve");
    expect(first.body.interaction).toMatchObject({ status: "open", quorum: 2 });
    expect((await pressCard(cleo, question.interaction_id, "approve")).body.interaction.status).toBe("decided");
    expect(await signed(question.interaction_id)).toMatchObject({ rule: { role: "member", quorum: 2 }, quorum: 2 });
    // The rule is for admins now: what a member approved before counts no more.
    expect((await setRule(id, { role: "admin", quorum: 2 })).status).toBe(200);
    expect((await pressCard(ann, two.interaction_id, "approve")).body.interaction.status).toBe("open");
    await give("cleo", "admin");
    expect((await pressCard(cleo, two.interaction_id, "approve")).body.interaction.status).toBe("decided");
    // A question that could never be approved is refused.
    const alone = await askCard(agent, { channel_slug: slug, interaction: { who: { users: ["ann"] } } });
    expect(code(alone)).toEqual([400, "nobody_may_answer"]);
    expect((await setRule(id, null)).status).toBe(200);
    const free = await asked(agent, { channel_slug: slug, interaction: { who: { users: ["ben"] } } });
    expect((await pressCard(ben, free.interaction_id, "approve")).body.interaction.status).toBe("decided");
    expect("rule" in (await signed(free.interaction_id))).toBe(false);
  });

  test("never decides with fewer people than the rule asks for, whatever comes at once", async () => {
    const { id, slug } = await room();
    for (let turn = 0; turn < 5; turn += 1) {
      await setRule(id, null);
      const question = await askAll(slug);
      const [changed, pressed] = await Promise.all([
        setRule(id, { role: "member", quorum: 2 }),
        pressCard(ben, question.interaction_id, "approve"),
      ]);
      expect(changed.status).toBe(200);
      // The press was before the change, or it counts as the first of two.
      const { status, votes } = pressed.body.interaction;
      if (status === "decided") expect("rule" in (await signed(question.interaction_id))).toBe(false);
      else expect([status, votes.length]).toEqual(["open", 1]);
    }
  });

  test("is set by the owner only, is in the record, and is audited", async () => {
    const { id, give } = await room();
    await give("ben", "admin");
    const rule = { role: "owner", quorum: 1 };
    expect(code(await setRule(id, rule, ben))).toEqual([403, "forbidden"]);
    expect(code(await setRule(id, rule, cleo))).toEqual([403, "forbidden"]);
    for (const wrong of [{ role: "guest", quorum: 1 }, { role: "owner", quorum: 0 }, { role: "owner" }, "owner"])
      expect(code(await setRule(id, wrong))).toEqual([400, "invalid_request"]);
    expect((await setRule(id, rule)).body.channel.approval_rule).toEqual(rule);
    expect((await setRule(id, rule)).status).toBe(200);
    expect((await cleo.get(`/api/channels/${id}`)).body.channel.approval_rule).toEqual(rule);
    const lines = await server.ctx.db
      .selectFrom("audit_log")
      .selectAll()
      .where("action", "=", "approval_rule_set")
      .where("subject", "=", `channel:${id}`)
      .execute();
    expect(lines.map(({ details }) => JSON.parse(details ?? "{}"))).toEqual([{ before: null, after: rule }]);
  });
});
