import { afterAll, describe, expect, test } from "bun:test";
import type { PaymentDemand } from "@parley/protocol/payments";
import { type PaymentWallet, payAndFetch } from "../src/payments.ts";

const demand: PaymentDemand = {
  amount: "5",
  price: "5",
  currency: "USDC",
  chainId: 1,
  recipient: "0x1",
  paymentId: "a".repeat(32),
  resource: "/api/paid/report",
  expiresAt: "2030-01-01T00:00:00.000Z",
  chain: "evm",
  tokenAddress: null,
  decimals: 6,
  messageToSign: "",
};
const wallet: PaymentWallet = { address: "0x2", pay: async () => "0x3", sign: async () => "0x4" };
const cap = { chainId: 1, tokenAddress: null, maxAmount: 5n };

/** Asks each request without a proof for a payment; keeps what it receives. */
const received: { type: string; text: string; paid: boolean }[] = [];
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const paid = request.headers.has("payment-signature");
    received.push({ type: request.headers.get("content-type") ?? "", text: await request.text(), paid });
    if (paid) return Response.json({ success: true });
    return Response.json({ success: false, code: "payment_required", error: "Pay.", payment: demand }, { status: 402 });
  },
});
afterAll(() => server.stop(true));

async function sent(body: unknown, headers?: Record<string, string>) {
  received.length = 0;
  await payAndFetch(String(server.url), wallet, { ...cap, method: "POST", body, ...(headers && { headers }) });
  expect(received.map(({ paid }) => paid)).toEqual([false, true]);
  const [first, second] = received;
  if (!first?.type.startsWith("multipart/")) expect([second?.type, second?.text]).toEqual([first?.type, first?.text]);
  return second;
}

describe("payAndFetch sends before and after the payment", () => {
  const text = '{"question":"why?"}';
  const bytes = new TextEncoder().encode(text);

  test("an object as JSON", async () => {
    expect(await sent({ question: "why?" })).toMatchObject({ type: "application/json", text });
  });

  test("a string as it is, as JSON unless a header says otherwise", async () => {
    expect(await sent(text)).toMatchObject({ type: "application/json", text });
    expect(await sent("why?", { "Content-Type": "text/plain" })).toMatchObject({ type: "text/plain", text: "why?" });
  });

  test.each([
    ["bytes", bytes, ""],
    ["an ArrayBuffer", bytes.buffer, ""],
    ["a Blob", new Blob([bytes], { type: "text/csv" }), "text/csv"],
    ["search parameters", new URLSearchParams({ q: "why?" }), "application/x-www-form-urlencoded"],
  ])("%s as they are", async (_name, body, type) => {
    const got = await sent(body);
    expect(got?.type).toStartWith(type);
    expect(got?.text).toBe(body instanceof URLSearchParams ? "q=why%3F" : text);
  });

  test("a form as multipart/form-data", async () => {
    const form = new FormData();
    form.set("question", "why?");
    const got = await sent(form);
    expect(got?.type).toStartWith("multipart/form-data; boundary=");
    expect(got?.text).toContain('name="question"');
  });
});

test("payAndFetch refuses a stream, which it could not send again after the payment", async () => {
  received.length = 0;
  const body = new Blob(["why?"]).stream();
  await expect(payAndFetch(String(server.url), wallet, { ...cap, method: "POST", body })).rejects.toThrow("stream");
  expect(received).toEqual([]);
});
