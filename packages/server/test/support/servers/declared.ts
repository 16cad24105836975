import type { ErrorBody, ErrorCode } from "@parley/protocol/errors";
import { EVENTS, type EventSpec } from "@parley/protocol/events";
import { COMMAND_ERRORS, COMMANDS, type CommandSpec, codesOf } from "@parley/protocol/realtime";
import { ErrorResponse } from "@parley/protocol/values";
import type { WebSocketHandler } from "bun";
import type { TSchema } from "typebox";
import { errorsByStatus } from "../../../src/documents/route-errors.ts";
import type { Connection } from "../../../src/gateway/connection.ts";
import type { Observed } from "../../../src/http/answers/finish.ts";
import type { Hub } from "../../../src/realtime/hub.ts";
import { wrongWith } from "./wrong-with.ts";

/** Clients send any name, also those that every object has. */
const ownOf = <T>(table: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/**
 * Compares everything that a server answers with its declarations: the answers of routes (status, schema, fields, code),
 * the answers to commands, and events. `assertNone` throws what it has found.
 */
export class Declared {
  readonly #problems = new Set<string>();
  readonly #pending = new Set<Promise<void>>();

  /** Checks an answer of a route. A response that the handler made, such as a file, is checked for its status alone. */
  readonly onAnswer = ({ route, request, status, json, response }: Observed): void => {
    const place = `${route.method} ${route.path} ${status}`;
    if (status >= 400 && response?.headers.get("content-type") === "application/json") {
      // The body is read again by the client; an error is a short text, which costs no stream.
      const read = response.clone().text();
      const checked = read.then((text) =>
        this.#error(place, JSON.parse(text), errorsByStatus(route).get(status) ?? []),
      );
      this.#pending.add(checked);
      void checked.finally(() => this.#pending.delete(checked));
      return;
    }
    // Past the pipeline, /mcp refuses as its transport does (test/mcp): with errors of JSON-RPC, text, or nobody to hear.
    if (route.path === "/mcp" && status >= 400) return;
    // HEAD does not do what GET would do, so it cannot know the answer.
    if (request.method === "HEAD" && route.hasEffect === true) return;
    const schema = (route.answers as Record<number, TSchema | undefined>)[status];
    if (schema === undefined) this.#note(`${place}: an undeclared status (${request.method} ${request.url})`);
    else if (json !== undefined) this.#compare(place, schema, JSON.parse(json));
  };

  /** Checks the answers to commands, and what a socket is sent alone. */
  readonly aroundSockets = (handlers: WebSocketHandler<Connection>): WebSocketHandler<Connection> => {
    const asked = new WeakMap<Connection, Map<string, string[]>>();
    return {
      ...handlers,
      open: (socket) => {
        const refs = new Map<string, string[]>();
        asked.set(socket.data, refs);
        const send = socket.send.bind(socket);
        socket.send = (frame, compress) => {
          if (typeof frame === "string") this.#sent(socket.data, refs, frame);
          return send(frame, compress);
        };
        return handlers.open?.(socket);
      },
      message: (socket, raw) => {
        noteCommand(asked.get(socket.data), raw);
        return handlers.message?.(socket, raw);
      },
    };
  };

  /** Checks the events that a server delivers to sockets and streams. */
  watch(hub: Hub): void {
    const deliver = hub.deliver.bind(hub);
    hub.deliver = (topic, messages) => {
      for (const { event, frame } of messages) if (Object.hasOwn(EVENTS, event)) this.#event(JSON.parse(frame));
      deliver(topic, messages);
    };
  }

  /** Throws if something differed from its declaration. */
  async assertNone(): Promise<void> {
    await Promise.all(this.#pending);
    const problems = [...this.#problems];
    this.#problems.clear();
    if (problems.length > 0) throw new Error(`The server sent what is not declared:\n${problems.join("\n")}`);
  }

  #sent(connection: Connection, refs: Map<string, string[]>, text: string): void {
    for (const frame of [JSON.parse(text)].flat()) {
      const { event, ref, data } = frame;
      if (event !== "ack" && event !== "error") {
        const isCompact = connection.isCompact && data?.chat_message !== undefined;
        if (!isCompact) this.#event(frame);
        continue;
      }
      const command = refs.get(JSON.stringify(ref))?.shift();
      const spec = ownOf<CommandSpec>(COMMANDS, String(command));
      if (event === "error") this.#refusal(String(command), spec, data);
      else if (spec === undefined) this.#note(`an ack of no command: ${text}`);
      else this.#compare(`the ack of ${command}`, spec.ack, data);
    }
  }

  #refusal(command: string, spec: CommandSpec | undefined, data: ErrorBody): void {
    const declared = spec === undefined ? COMMAND_ERRORS : codesOf(spec);
    this.#error(`the refusal of ${command}`, data, declared);
  }

  #event({ event, data }: { event: string; data: unknown }): void {
    const spec = ownOf<EventSpec>(EVENTS, event);
    if (spec === undefined) this.#note(`an undeclared event: ${event}`);
    else this.#compare(`the event ${event}`, spec.data, data);
  }

  #error(place: string, body: ErrorBody, declared: readonly ErrorCode[]): void {
    if ("jsonrpc" in body) return;
    this.#compare(place, ErrorResponse, body);
    if (!declared.includes(body.code)) this.#note(`${place}: the undeclared code ${body.code}`);
  }

  #compare(place: string, schema: TSchema, value: unknown): void {
    for (const wrong of wrongWith(schema, value)) this.#note(`${place}: ${wrong}`);
  }

  #note(problem: string): void {
    this.#problems.add(problem);
  }
}

/** Remembers which command a ref belongs to. A frame that names no command has an answer, too. */
function noteCommand(refs: Map<string, string[]> | undefined, raw: unknown): void {
  const { event, ref } = parsed(raw);
  const isRef = (typeof ref === "string" && ref.length <= 64) || Number.isSafeInteger(ref);
  const key = isRef ? JSON.stringify(ref) : "null";
  refs?.set(key, [...(refs.get(key) ?? []), String(event)]);
}

function parsed(raw: unknown): { event?: unknown; ref?: unknown } {
  try {
    return JSON.parse(String(raw)) ?? {};
  } catch {
    return {}; // a bad frame is under test
  }
}
