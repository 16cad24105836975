import { expect, test } from "bun:test";
import { APPROVAL, askCard, asked, pressCard } from "../support/cards.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
const [agent, ann] = [await server.agent("Shipper"), await server.user("ann")];

test("cards that nobody could use are refused", async () => {
  const button = { type: "button", action_id: "go", label: "Go" };
  const choice = { kind: "choice", who: { roles: ["member"] } };
  const rows = (...elements: unknown[]) => [{ type: "row", elements }];
  const select = (options: unknown) => ({ type: "select", action_id: "s", options });
  const option = { label: "A", value: "a" };
  for (const [body, code] of [
    [{ components: rows(button, button), interaction: choice }, "invalid_components"],
    [{ components: rows(button), interaction: null }, "invalid_components"],
    [{ components: null, interaction: choice }, "invalid_components"],
    [
      { components: rows({ type: "link", label: "x", url: "javascript:alert(1)" }), interaction: null },
      "invalid_components",
    ],
    ...["https://ann@a.example", "https://:secret@a.example", "ftp://a.example", "a.example"].map(
      (url) =>
        [{ components: rows({ type: "link", label: "x", url }), interaction: null }, "invalid_components"] as const,
    ),
    [{ components: rows({ ...button, label: "x".repeat(76) }), interaction: choice }, "invalid_components"],
    [{ components: rows({ ...button, label: "\u202eevorppA" }), interaction: choice }, "invalid_components"],
    [{ components: rows({ ...button, confirm: "\u202e?ton tI" }), interaction: choice }, "invalid_components"],
    [{ components: rows({ ...button, label: " " }), interaction: choice }, "invalid_components"],
    [{ components: rows({ type: "image", url: "x" }), interaction: choice }, "invalid_components"],
    [
      {
        components: Array(6).fill({
          type: "row",
          elements: [{ type: "link", label: "x", url: "https://a.example" }],
        }),
        interaction: null,
      },
      "invalid_components",
    ],
    [{ components: rows(select([option])), interaction: choice }, "invalid_components"],
    [{ components: rows(select([option, option])), interaction: choice }, "invalid_components"],
    [{ components: rows(button), interaction: { kind: "approval", who: { users: ["ann"] } } }, "invalid_components"],
    [{ interaction: { kind: "approval", who: { users: ["ann"] }, quorum: 11 } }, "invalid_components"],
    [{ interaction: { kind: "approval", who: { users: ["ann"] }, expires_in: 59 } }, "invalid_components"],
    [{ components: rows(button), interaction: { ...choice, quorum: 2 } }, "invalid_components"],
    [{ interaction: { kind: "approval", who: { users: ["ann"] }, quorum: 2 } }, "nobody_may_answer"],
    [{ interaction: { kind: "approval", who: { roles: ["member", "admin"] } } }, "nobody_may_answer"],
    [{ interaction: { kind: "approval", who: {} } }, "nobody_may_answer"],
    [{ interaction: { kind: "approval", who: { users: ["nobody-here"] } } }, "user_not_found"],
    [{ message: " " }, "message_required"],
    [
      {
        components: Array(5).fill({
          type: "row",
          elements: Array(5).fill({ type: "link", label: "x", url: `https://a.example/${"y".repeat(400)}` }),
        }),
        interaction: null,
      },
      "invalid_components",
    ],
  ] as const) {
    const { interaction_id: _, ...fields } = { interaction_id: 0, ...body };
    const sent = await agent.post("/api/agenthub/send", {
      channel_slug: "general",
      message: "Well?",
      components: APPROVAL,
      ...fields,
    });
    expect([JSON.stringify(body), sent.body.code]).toEqual([JSON.stringify(body), code]);
    expect(sent.body.details ?? code).toBeTruthy();
  }
  const { details } = (await askCard(agent, { components: rows(button), interaction: { ...choice, quorum: 2 } })).body;
  expect(details).toEqual([{ path: "interaction.quorum", message: "is only for approvals" }]);
  const links = await agent.post("/api/agenthub/send", {
    channel_slug: "general",
    message: "Read this",
    components: rows({ type: "link", label: "Docs", url: "https://example.org" }),
  });
  expect(links.body.chat_message.components[0].elements[0].url).toBe("https://example.org/");
  expect((await agent.put(`/api/messages/${links.body.message_id}`, { content: "Read that" })).status).toBe(200);
  const byUser = await ann.post("/api/messages", {
    channel_slug: "general",
    content: "x",
    components: APPROVAL,
  });
  expect(byUser.body.chat_message).not.toHaveProperty("components");
});

test("a card is shown with all that its elements say, and nothing else", async () => {
  const elements = [
    { type: "button", action_id: "a", label: "All", style: "primary", value: "7", confirm: "Sure?" },
    { type: "button", action_id: "b", label: "Bare" },
    { type: "link", label: "More", url: "https://example.org/more" },
  ];
  const options = [
    { label: "One", value: "1" },
    { label: "Two", value: "2" },
  ];
  const selects = [
    { type: "select", action_id: "c", placeholder: "Pick one", options },
    { type: "select", action_id: "d", options },
  ];
  const components = [elements, selects].map((elements) => ({ type: "row", elements }));
  const { interaction_id: id } = await asked(agent, {
    components,
    interaction: { kind: "choice", who: { roles: ["member"] } },
  });
  const shown = await ann.get(`/api/messages?channel_slug=general&ids=${id}`);
  expect(shown.body.messages[0].components).toEqual(components);
  expect((await pressCard(ann, id, "a")).body.interaction.result).toMatchObject({
    action_id: "a",
    value: "7",
  });
});
