import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, randomUUID } from "node:crypto";
import { allRoutes } from "../../src/modules.ts";
import { evmSettings } from "../support/chains/evm.ts";
import { COIN_PRICE, PLATFORM } from "../support/chains/payment-world.ts";
import { evmWallet } from "../support/chains/wallets.ts";
import { eachDatabase } from "../support/databases.ts";
import { MAILING } from "../support/digest-scene.ts";
import { emojiForm } from "../support/emoji.ts";
import { stillGif } from "../support/gifs.ts";
import { newChannel } from "../support/new-channel.ts";
import { pushKeys } from "../support/push-keys.ts";
import type { Named } from "../support/servers/test-server.ts";
import { type Answered, type Client, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";
import { form } from "../support/stickers.ts";

/** Every POST that creates something honours `Idempotency-Key` (protocol §0). */
const creating = allRoutes().filter(({ method, status }) => method === "POST" && status === 201);
const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

const BY_MESSAGE = "client_msg_id, for ever";
const KEPT_BY_HANDLER = "keeps the key itself, because it takes long; tested below";
const KEPT_IN_ROW = "keeps the key beside the message, because its checks run outside of transactions";
const BY_PROOF = "what it needs can be used once";
/** Creating routes that do not act twice for another reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  "POST /api/messages": BY_MESSAGE,
  "POST /api/messages/send-many": BY_MESSAGE,
  "POST /api/agenthub/send": BY_MESSAGE,
  "POST /api/agenthub/send-many": BY_MESSAGE,
  "POST /api/messages/:messageId/forward": BY_MESSAGE,
  "POST /api/polls": BY_MESSAGE,
  "POST /api/agenthub/polls": BY_MESSAGE,
  "POST /api/scheduled": KEPT_IN_ROW,
  "POST /api/agenthub/scheduled": KEPT_IN_ROW,
  "POST /api/agenthub/streams": BY_MESSAGE,
  "POST /api/agenthub/streams/:stream_id/finish": "a stream becomes one message",
  "POST /api/hooks/:hook": BY_MESSAGE,
  "POST /api/red-packets": "its own table of keys, for ever",
  "POST /api/auth/register": "stores the key without the password",
  "POST /api/auth/passkeys": BY_PROOF,
  "POST /api/agenthub/agent-api-key/verify-tweet": BY_PROOF,
  "POST /api/agenthub/agent-api-key/recover": BY_PROOF,
  "POST /api/agenthub/setup": BY_PROOF,
  "POST /api/files": KEPT_BY_HANDLER,
};

test("every creating POST takes the header, or says why it needs none", () => {
  const without = creating.filter(({ idempotent }) => idempotent !== true).map(nameOf);
  expect(without.toSorted()).toEqual(Object.keys(OTHERWISE).toSorted());
});

/** A call that creates something. */
interface Recipe {
  as: Client;
  path: string;
  body?: unknown;
  /** The same call with another body; absent: the route takes none. */
  other?: unknown;
  /** Makes the body anew, for forms, which are read once. */
  raw?: (text: string) => FormData;
  /** The fields that a repetition shows as null. */
  once?: string[];
}

interface Scene {
  server: TestServer;
  ann: Named;
  olga: Named;
  agent: Client & { agentId: number };
  room: { id: number; slug: string };
}

const hook = (n: number) => ({ url: `https://8.8.8.8/${n}`, events: ["message.new"] });
const browser = { endpoint: "https://8.8.8.8/browser", keys: pushKeys() };
const said = async ({ ann, room }: Scene) =>
  (await ann.post("/api/messages", { channel_id: room.id, content: "hello" })).body.message_id;

const RECIPES: Readonly<Record<string, (scene: Scene) => Promise<Recipe>>> = {
  "POST /api/user/:username/wallets/challenge": async ({ ann }) => ({
    as: ann,
    path: "/api/user/ann/wallets/challenge",
    body: { chain: "evm", address: evmWallet().address },
    other: { chain: "evm", address: evmWallet().address },
  }),
  "POST /api/admin/users/:username/reset-link": async ({ olga }) => ({
    as: olga,
    path: "/api/admin/users/bob/reset-link",
    body: {},
    other: { unknown: 1 },
    once: ["url"],
  }),
  "POST /api/channels": async ({ ann }) => ({
    as: ann,
    path: "/api/channels",
    body: { name: "one" },
    other: { name: "two" },
  }),
  "POST /api/channels/:channel_id/bans": async ({ ann, room }) => ({
    as: ann,
    path: `/api/channels/${room.id}/bans`,
    body: { username: "bob" },
    other: { username: "carl" },
  }),
  "POST /api/direct": async ({ ann }) => ({
    as: ann,
    path: "/api/direct",
    body: { username: "bob" },
    other: { username: "carl" },
  }),
  "POST /api/messages/:messageId/report": async (scene) => ({
    as: await scene.server.user("reporter"),
    path: `/api/messages/${await said(scene)}/report`,
    body: { reason: "spam" },
    other: { reason: "illegal" },
  }),
  "POST /api/reminders": async (scene) => {
    const message_id = await said(scene);
    const remind_at = new Date(Date.now() + 3_600_000).toISOString();
    return {
      as: scene.ann,
      path: "/api/reminders",
      body: { message_id, remind_at },
      other: { message_id, remind_at, note: "other" },
    };
  },
  "POST /api/stickers/upload": async ({ ann }) => ({
    as: ann,
    path: "/api/stickers/upload",
    raw: (text) => form(stillGif(2, 2, text)),
  }),
  "POST /api/emoji": async ({ ann }) => ({
    as: ann,
    path: "/api/emoji",
    raw: (text) => emojiForm(`e_${createHash("sha256").update(text).digest("hex").slice(0, 20)}`, stillGif(2, 2, text)),
  }),
  "POST /api/files": async ({ ann }) => ({
    as: ann,
    path: "/api/files",
    raw: (text) => {
      const sent = new FormData();
      sent.set("file", new Blob([text]), "notes.txt");
      return sent;
    },
  }),
  "POST /api/push/subscriptions": async ({ ann }) => ({
    as: ann,
    path: "/api/push/subscriptions",
    body: browser,
    other: { ...browser, endpoint: "https://8.8.8.8/another" },
  }),
  "POST /api/webhooks": async ({ ann, room }) => ({
    as: ann,
    path: "/api/webhooks",
    body: { ...hook(1), channel_id: room.id },
    other: { ...hook(2), channel_id: room.id },
    once: ["secret"],
  }),
  "POST /api/webhooks/:webhook_id/test": async ({ ann, room }) => {
    const { body } = await ann.post("/api/webhooks", { ...hook(3), channel_id: room.id });
    return { as: ann, path: `/api/webhooks/${body.webhook.webhook_id}/test` };
  },
  "POST /api/channels/:channel_id/incoming-webhooks": async ({ ann, room }) => ({
    as: ann,
    path: `/api/channels/${room.id}/incoming-webhooks`,
    body: { name: "one" },
    other: { name: "two" },
    once: ["url"],
  }),
  "POST /api/agenthub/agent-api-key/rotate": async ({ agent }) => ({
    as: agent,
    path: "/api/agenthub/agent-api-key/rotate",
    body: { grace_seconds: 3_600 },
    other: { grace_seconds: 60 },
    once: ["api_key"],
  }),
  "POST /api/invitations": async ({ ann }) => ({
    as: ann,
    path: "/api/invitations",
    body: { days: 3 },
    other: { days: 4 },
  }),
  "POST /api/agents/setup-codes": async ({ ann }) => ({
    as: ann,
    path: "/api/agents/setup-codes",
    body: { agent_name: "Coded one" },
    other: { agent_name: "Coded two" },
    once: ["code", "setup_url", "qr_svg"],
  }),
  "POST /api/agents/:agent_id/setup-codes": async ({ server, ann }) => {
    const { body } = await ann.post("/api/agents/setup-codes", { agent_name: "Owned" });
    const { agent_id } = (await server.guest.post("/api/agenthub/setup", { code: body.code })).body;
    return {
      as: ann,
      path: `/api/agents/${agent_id}/setup-codes`,
      body: { scopes: ["read"] },
      other: { scopes: ["send"] },
      once: ["code", "setup_url", "qr_svg"],
    };
  },
  "POST /api/invitations/mail": async ({ olga }) => ({
    as: olga,
    path: "/api/invitations/mail",
    body: { email: "one@example.org" },
    other: { email: "two@example.org" },
  }),
  "POST /api/agents": async ({ olga }) => ({
    as: olga,
    path: "/api/agents",
    body: { agent_name: "One" },
    other: { agent_name: "Two" },
    once: ["api_key"],
  }),
  "POST /api/admin/paid": async ({ olga }) => ({
    as: olga,
    path: "/api/admin/paid",
    body: { slug: "one", price: COIN_PRICE, text: "for money" },
    other: { slug: "two", price: COIN_PRICE, text: "for money" },
  }),
};

eachDatabase((_, open) => {
  let scene: Scene;
  const stack = new AsyncDisposableStack();
  beforeAll(async () => {
    const payments = { ...evmSettings("http://127.0.0.1:9"), paymentRecipients: [PLATFORM] };
    const config = { ...MAILING, rateLimits: "off", pushSubject: "mailto:operator@example.org", ...payments } as const;
    const server = stack.use(await startTestServer(config, { database: await open() }));
    const ann = Object.assign(await server.user("ann"), { username: "ann" });
    for (const name of ["bob", "carl"]) await server.user(name);
    const [olga, agent] = [await staff(server, "olga", 2), await server.agent("Helper")];
    scene = { server, ann, olga, agent, room: await newChannel(ann) };
  });
  afterAll(() => stack.disposeAsync());

  const send = ({ as, path, raw }: Recipe, body: unknown, key: string): Promise<Answered> =>
    as.post(path, raw === undefined ? body : undefined, {
      headers: { "idempotency-key": key },
      ...(raw === undefined ? {} : { raw: raw(String(body)) }),
    });
  const recipeOf = (name: string) => {
    const recipe = RECIPES[name];
    if (recipe === undefined) throw new Error(`${name} is not tested: add a call to RECIPES.`);
    return recipe(scene);
  };

  const keyed = creating.filter((route) => route.idempotent === true || OTHERWISE[nameOf(route)] === KEPT_BY_HANDLER);
  describe.each(keyed.map((route) => [nameOf(route)]))("%s", (name) => {
    test("acts once for a key, also at once, and refuses it for another body", async () => {
      const recipe = await recipeOf(name);
      const key = randomUUID();
      const both = await Promise.all([1, 2].map(() => send(recipe, recipe.body, key)));
      const later = await send(recipe, recipe.body, key);
      const first = both.find(({ status }) => status === 201);
      expect(first?.body).toMatchObject({ success: true });
      const shownAgain = { ...first?.body, ...Object.fromEntries((recipe.once ?? []).map((field) => [field, null])) };
      for (const again of [both.find((answer) => answer !== first), later]) {
        expect([again?.status, again?.body]).toEqual([200, { ...shownAgain, deduplicated: true }]);
      }
      for (const field of recipe.once ?? []) expect(first?.body[field]).toBeString();
      const other = recipe.raw === undefined ? recipe.other : "another";
      if (other !== undefined)
        expect(await send(recipe, other, key)).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
      expect((await send(recipe, recipe.body, "short")).body.code).toBe("idempotency_key_invalid");
    });
  });
});
