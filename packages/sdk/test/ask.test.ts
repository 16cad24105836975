import { expect, test } from "bun:test";
import { pressCard } from "../../server/test/support/cards.ts";
import { forAllTests } from "../../server/test/support/for-all-tests.ts";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";
import { AgentClient } from "../src/agent-client.ts";
import { ParleyClient } from "../src/client.ts";
import { ReceiptError, verifyReceipt } from "../src/receipts.ts";
import { QUICK } from "./support/clients.ts";

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const { apiKey } = await server.agent("Scout");
const agent = new AgentClient({ url: server.url, apiKey, name: "Scout", backoff: QUICK });
const asAgent = new ParleyClient({ url: server.url, apiKey });

test("ask returns the decision with a verified receipt, also when it is called again with its id", async () => {
  const pressed: Promise<unknown>[] = [];
  const question = {
    who: { users: ["ann"] },
    clientMsgId: "deploy-1",
    onAsked: ({ id }: { id: number }) => void pressed.push(pressCard(ann, id, "approve")),
  };
  const { decision, receipt, message } = await agent.ask("general", "Deploy?", question);
  await Promise.all(pressed);
  expect(decision).toMatchObject({ kind: "approval", status: "decided", result: { action_id: "approve" } });
  const again = await agent.ask("general", "Deploy?", question);
  expect([again.message.id, again.receipt]).toEqual([message.id, receipt]);
  const { keys } = await asAgent.interactions.keys();
  expect(await verifyReceipt(receipt, keys, message)).toEqual(decision);
  const forged = { ...receipt, signed: receipt.signed.replace("approve", "deny") };
  expect(await verifyReceipt(forged, keys).catch((error) => error)).toBeInstanceOf(ReceiptError);
  expect(await verifyReceipt(receipt, keys, { ...message, content: "x" }).catch((error) => error)).toBeInstanceOf(
    ReceiptError,
  );
  expect(await verifyReceipt(receipt, []).catch((error) => error)).toBeInstanceOf(ReceiptError);
});

test("a choice is decided by its first press, and a question can be cancelled or abandoned", async () => {
  const options = ["red", "blue"].map((action_id) => ({ action_id, label: action_id }));
  const who = { users: ["ann"] };
  const chosen = await agent.ask("general", "Which?", {
    options,
    who,
    onAsked: ({ id }) => void pressCard(ann, id, "blue"),
  });
  expect(chosen.decision.result).toMatchObject({ action_id: "blue", username: "ann" });
  const cancelled = await agent.ask("general", "Which now?", {
    options,
    who,
    onAsked: ({ id }) => void asAgent.interactions.cancel(id),
  });
  expect([cancelled.decision.status, cancelled.decision.result]).toEqual(["cancelled", null]);
  const stop = new AbortController();
  let id = 0;
  const abandoned = agent.ask("general", "And now?", {
    who,
    signal: stop.signal,
    onAsked: (message) => {
      id = message.id;
      stop.abort(new Error("enough"));
    },
  });
  expect(await abandoned.catch((error) => error.message)).toBe("enough");
  expect((await asAgent.interactions.get(id)).interaction.status).toBe("open");
  const user = new ParleyClient({ url: server.url, cookie: ann.credential.cookie });
  expect((await user.interactions.press(id, { action_id: "deny" })).interaction.status).toBe("decided");
});
