/** What a server of a chain does wrong. */
export type Fault =
  /** Never answers. */
  | { kind: "hang" }
  | { kind: "status"; status: number; headers?: Record<string, string> }
  /** Sends these bytes. */
  | { kind: "raw"; bytes: string | Uint8Array }
  /** Breaks off in the middle of the true answer. */
  | { kind: "truncate" }
  /** Refuses, in the words of JSON-RPC. */
  | { kind: "refuse"; code: number; message: string }
  /** Answers something else than the truth. */
  | { kind: "lie"; about: (result: unknown, params: readonly unknown[]) => unknown };

interface Call {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** A server of a chain that stands in front of an honest one, and is honest itself but where it is told otherwise, method by method. */
export class RpcProxy implements AsyncDisposable {
  readonly url: string;
  /** By method; `*` is every other one. */
  readonly faults = new Map<string, Fault>();
  /** Methods that were called. */
  readonly called: string[] = [];
  readonly #target: string;
  readonly #server: Bun.Server<undefined>;

  constructor(target: string) {
    this.#target = target;
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => this.#answer((await request.json()) as Call),
    });
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  lie(method: string, about: (result: unknown, params: readonly unknown[]) => unknown): void {
    this.faults.set(method, { kind: "lie", about });
  }

  async #answer(call: Call): Promise<Response> {
    this.called.push(call.method);
    const fault = this.faults.get(call.method) ?? this.faults.get("*");
    switch (fault?.kind) {
      case "hang":
        return new Promise(() => {});
      case "status":
        return Response.json({ fault: "fault" }, { status: fault.status, headers: fault.headers ?? {} });
      case "raw":
        return new Response(fault.bytes, { headers: { "content-type": "application/json" } });
      case "refuse":
        return Response.json({ jsonrpc: "2.0", id: call.id, error: { code: fault.code, message: fault.message } });
    }
    const text = await this.#forward(call);
    if (fault?.kind === "truncate") return new Response(text.slice(0, text.length / 2));
    if (fault?.kind !== "lie") return new Response(text);
    const honest: { result: unknown } = JSON.parse(text);
    return Response.json({ ...honest, result: fault.about(honest.result, call.params) });
  }

  async #forward(call: Call): Promise<string> {
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.#target, { method: "POST", headers, body: JSON.stringify(call) });
    return response.text();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
