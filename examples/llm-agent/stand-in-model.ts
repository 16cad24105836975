/** A request as an OpenAI-compatible server gets it. */
export interface Asked {
  model: string;
  messages: { role: string; content: string }[];
  stream?: boolean;
}

/** Answers with a text, or fails with a status. */
type Reply = string | { status: number; retryAfter?: number };

/**
 * A stand-in for a language model behind an OpenAI-compatible address, for tests: checks requests as such servers do,
 * and answers with what `think` returns.
 */
export class StandInModel implements Disposable {
  readonly key = "sk-stand-in";
  readonly asked: Asked[] = [];
  /** Replaced by tests. */
  think: (asked: Asked) => Reply | Promise<Reply> = () => "All is quiet.";
  /** Awaited before the last piece of a streamed answer. */
  pause: () => Promise<void> = async () => {};
  readonly #server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => this.#answer(request) });

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (request.method !== "POST" || pathname !== "/v1/chat/completions") return failure(404, "Unknown request URL.");
    if (request.headers.get("authorization") !== `Bearer ${this.key}`) return failure(401, "Incorrect API key.");
    const body = (await request.json().catch(() => null)) as Asked | null;
    if (typeof body?.model !== "string" || !Array.isArray(body.messages)) return failure(400, "Invalid request.");
    this.asked.push(body);
    const reply = await this.think(body);
    if (typeof reply !== "string") return failure(reply.status, "The model is overloaded.", reply.retryAfter);
    if (body.stream === true)
      return new Response(this.#chunks(reply), { headers: { "content-type": "text/event-stream" } });
    const message = { role: "assistant", content: reply, refusal: null };
    return Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      model: body.model,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    });
  }

  /** Yields a text in two pieces, as server-sent events. */
  #chunks(text: string): ReadableStream<Uint8Array> {
    const event = (data: string) => new TextEncoder().encode(`data: ${data}\n\n`);
    const chunk = (content: string) => event(JSON.stringify({ choices: [{ index: 0, delta: { content } }] }));
    const half = Math.ceil(text.length / 2);
    const { pause } = this;
    return new ReadableStream({
      async start(controller) {
        controller.enqueue(chunk(text.slice(0, half)));
        await pause();
        controller.enqueue(chunk(text.slice(half)));
        controller.enqueue(event("[DONE]"));
        controller.close();
      },
    });
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }
}

function failure(status: number, message: string, retryAfter?: number): Response {
  const headers = retryAfter === undefined ? undefined : { "retry-after": String(retryAfter) };
  return Response.json({ error: { message, type: "error", code: null } }, { status, ...(headers && { headers }) });
}
