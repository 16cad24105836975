import { listenForCalls } from "./rpc-listener.ts";

/** A fault of a chain server. */
export type Fault =
  /** Never answers. */
  | { kind: "hang" }
  | { kind: "status"; status: number; headers?: Record<string, string> }
  /** Responds with these bytes. */
  | { kind: "raw"; bytes: string | Uint8Array }
  /** Breaks off in the middle of the true response. */
  | { kind: "truncate" }
  /** Refuses with a JSON-RPC error. */
  | { kind: "refuse"; code: number; message: string }
  /** Replaces the true result. */
  | { kind: "lie"; about: (result: unknown, params: readonly unknown[]) => unknown };

interface Call {
  id: number;
  method: string;
  params: readonly unknown[];
}

/** A chain server in front of an honest one. It passes calls on, except for methods with a fault. */
export class RpcProxy implements AsyncDisposable {
  readonly url: string;
  /** The fault of each method; `*` applies to all other methods. */
  readonly faults = new Map<string, Fault>();
  /** The methods that were called. */
  readonly called: string[] = [];
  /** The number of calls in each request. */
  readonly sizes: number[] = [];
  readonly #target: string;
  readonly #server: Bun.Server<undefined>;

  constructor(target: string) {
    this.#target = target;
    this.#server = listenForCalls<Call>((asked) => this.#take(asked));
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  lie(method: string, about: (result: unknown, params: readonly unknown[]) => unknown): void {
    this.faults.set(method, { kind: "lie", about });
  }

  /**
   * Answers each call of a batch separately. A fault that is not a JSON-RPC response replaces the response to the whole
   * batch.
   */
  async #take(asked: Call | Call[]): Promise<Response> {
    if (!Array.isArray(asked)) {
      this.sizes.push(1);
      return this.#answer(asked);
    }
    this.sizes.push(asked.length);
    const texts: string[] = [];
    for (const answer of await Promise.all(asked.map((call) => this.#answer(call)))) {
      const text = await answer.clone().text();
      if (answer.status !== 200 || !isJson(text)) return answer;
      texts.push(text); // unchanged: parsing and writing it again would change large numbers
    }
    return new Response(`[${texts.join(",")}]`);
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
