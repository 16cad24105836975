import { createHmac } from "node:crypto";

/** A request that arrived at a webhook. */
export interface Received {
  id: string;
  headers: Headers;
  text: string;
  body: { type: string; timestamp: string; data: Record<string, never> & { seq?: number } };
}

type Answer = (received: Received, count: number) => Response | Promise<Response>;

/** A server that webhooks call, on this machine. By default it answers 204. */
export class WebhookReceiver implements Disposable {
  readonly received: Received[] = [];
  answer: Answer = () => new Response(null, { status: 204 });
  readonly #server: Bun.Server<undefined>;

  constructor(hostname = "127.0.0.1") {
    const fetch = async (request: Request) => {
      const text = await request.text();
      const id = request.headers.get("webhook-id") ?? "";
      const received = { id, headers: request.headers, text, body: JSON.parse(text) as Received["body"] };
      this.received.push(received);
      return this.answer(received, this.received.length);
    };
    this.#server = Bun.serve({ port: 0, hostname, fetch });
  }

  get url(): string {
    return `http://${this.#server.hostname}:${this.#server.port}/hook`;
  }

  get types(): string[] {
    return this.received.map(({ body }) => body.type);
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}

/** True if one of the signatures was made with this secret, as Standard Webhooks describes it. */
export function isSignedBy({ id, headers, text }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = createHmac("sha256", key)
    .update(`${id}.${headers.get("webhook-timestamp")}.${text}`)
    .digest("base64");
  return (headers.get("webhook-signature") ?? "").split(" ").includes(`v1,${signed}`);
}
