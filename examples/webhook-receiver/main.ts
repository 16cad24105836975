import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { verifyWebhook, WebhookVerificationError } from "@parley/sdk";

// A server for a webhook of Parley. It verifies each request, answers at once, and handles each event once.

const BODY_MAX = 128 * 1024;
const { PARLEY_WEBHOOK_SECRET: secret = "", PORT = "8080", HANDLED_FILE: handledFile = "handled.txt" } = process.env;
if (secret === "")
  throw new Error("Set PARLEY_WEBHOOK_SECRET to the secret that was shown when the webhook was created.");

/** The ids of events that were handled. They survive a restart, because an event may arrive again after it. */
const handled = new Set(existsSync(handledFile) ? readFileSync(handledFile, "utf8").split("\n") : []);

const server = createServer((request, response) => {
  receive(request).then(
    (status) => response.writeHead(status).end(),
    (error: unknown) => {
      const isForged = error instanceof WebhookVerificationError;
      if (!isForged) console.error(error);
      // After a 500 Parley tries again.
      response.writeHead(isForged ? 401 : 500).end();
    },
  );
});

async function receive(request: IncomingMessage): Promise<number> {
  let body = "";
  request.setEncoding("utf8");
  for await (const piece of request) {
    body += piece;
    if (body.length > BODY_MAX) return 413;
  }
  const event = await verifyWebhook(request.headers, body, secret);
  const id = String(request.headers["webhook-id"]);
  if (handled.has(id)) return 204;
  handle(event.type, event.data);
  handled.add(id);
  appendFileSync(handledFile, `${id}\n`);
  return 204;
}

function handle(type: string, data: Record<string, unknown>): void {
  const message = data.chat_message as { content: string } | undefined;
  console.log(`${type}${message === undefined ? "" : `: ${message.content}`}`);
}

server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${PORT}`));
