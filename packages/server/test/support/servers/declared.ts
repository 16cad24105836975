import { gunzipSync } from "node:zlib";
import type { ErrorBody, ErrorCode } from "@parley/protocol/errors";
import { EVENTS, type EventSpec } from "@parley/protocol/events";
import { COMMAND_ERRORS, COMMANDS, type CommandSpec, codesOf } from "@parley/protocol/realtime";
import { ErrorResponse } from "@parley/protocol/values";
import type { WebSocketHandler } from "bun";
import type { TSchema } from "typebox";

import { bodiesAt } from "../../../src/documents/responses.ts";
import { errorsByStatus } from "../../../src/documents/route-errors.ts";
import type { Connection } from "../../../src/gateway/connection.ts";
import type { Observed } from "../../../src/http/answers/finish.ts";
import type { Hub } from "../../../src/realtime/hub.ts";
import { wrongWith } from "./wrong-with.ts";

/** Clients send any name, also those that every object has. */
const ownOf = <T>(table: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Schemas by media type. */
type Bodies = Record<string, TSchema>;

const JSON_TYPE = "application/json";
const CLIENT_GONE = 499;

const mediaTypeOf = ({ headers }: Response): string | null =>
  headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? null;

/** True if a media type is the declared one, or among those that a wildcard stands for. */
const fits = (type: string, declared: string): boolean =>
  declared === "*/*" || declared === type || (declared.endsWith("/*") && type.startsWith(declared.slice(0, -1)));

/** A response as fetch or Bun has it. */
interface Readable {
  headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

async function textOf(response: Readable): Promise<string> {
  const bytes = await response.arrayBuffer();
  return new TextDecoder().decode(response.headers.get("content-encoding") === "gzip" ? gunzipSync(bytes) : bytes);
}

/**
 * Compares everything that a server answers with its declarations: the answers of routes (status, media type, schema,
 * fields, code), the answers to commands, and events. `assertNone` throws what it has found.
 */
export class Declared {
  readonly #problems = new Set<string>();
  readonly #pending = new Set<Promise<void>>();

  /** Checks the status, the media type and the JSON of an answer of a route. Other bodies are not read. */
  readonly onAnswer = ({ route, request, status, json, response }: Observed): void => {
    const place = `${route.method} ${route.path} ${status}`;
    // The client has gone and receives no answer.
    if (status === CLIENT_GONE) return;
    // HEAD does not do what GET would do, so it cannot know the answer.
    if (status < 400 && request.method === "HEAD" && route.hasEffect === true) return;
    const codes = errorsByStatus(route).get(status) ?? [];
    const bodies = bodiesAt(route, status);
    const isKnown = Object.hasOwn(route.answers, status) || Object.keys(bodies).length > 0;
    if (!isKnown && status < 400) this.#note(`${place}: an undeclared status (${request.method} ${request.url})`);
    else if (response === undefined) this.#body(place, json ?? "", { codes, schema: bodies[JSON_TYPE] });
    else this.#response(place, response, { codes, bodies });
  };

  #response(place: string, response: Response, { codes, bodies }: { codes: ErrorCode[]; bodies: Bodies }): void {
    const type = mediaTypeOf(response);
    if (type === null) return;
    const declared = Object.keys(bodies).find((pattern) => fits(type, pattern));
    const isError = response.status >= 400 && type === JSON_TYPE;
    if (declared === undefined && !isError) this.#note(`${place}: the undeclared media type ${type}`);
    if (type !== JSON_TYPE && !type.endsWith("+json")) return;
    // A wildcard is for what people have uploaded. A download is not read twice, because it is made while it is read.
    if (declared?.includes("*") || response.headers.has("content-disposition")) return;
    const checked = textOf(response.clone()).then((text) => this.#body(place, text, { codes, schema: bodies[type] }));
    this.#pending.add(checked);
    void checked.finally(() => this.#pending.delete(checked));
  }

  #body(place: string, text: string, { codes, schema }: { codes: ErrorCode[]; schema: TSchema | undefined }): void {
    const body = JSON.parse(text);
    if (body.success === false) this.#error(place, body, codes);
    else if (schema === undefined) this.#note(`${place}: an undeclared body`);
    else this.#compare(place, schema, body);
  }

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
