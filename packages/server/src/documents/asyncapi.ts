import { CLOSE, type CommandSpec, codesOf, ErrorFrame, Ref } from "@parley/protocol/realtime";
import { SocketQuery } from "@parley/protocol/socket-query";
import { Nullable } from "@parley/protocol/values";
import type { Config } from "../config/config.ts";
import { Components, type JsonSchema } from "./schemas.ts";
import { socketTables } from "./socket-tables.ts";

/** The parts of an AsyncAPI 3.1 document that this code reads. */
export interface AsyncApiDocument {
  asyncapi: string;
  info: JsonSchema;
  servers: Record<string, JsonSchema>;
  channels: { socket: { address: string; messages: Record<string, JsonSchema> } & JsonSchema };
  operations: Record<string, JsonSchema>;
  components: { messages: Record<string, JsonSchema>; schemas: Record<string, JsonSchema> };
}

/** Describes the socket from the tables that the gateway and the SDK read (protocol §8). */
export function asyncApiDocument(config: Pick<Config, "publicUrl" | "host" | "port" | "value">): AsyncApiDocument {
  const { commands, events } = socketTables(config);
  const components = new Components();
  const messages: Record<string, JsonSchema> = {};
  const operations: Record<string, JsonSchema> = {};

  messages.error = message("error", "A command was refused.", components.refer(ErrorFrame));
  for (const [name, spec] of commands) {
    const [command, ack] = [key("command", name), key("ack", name)];
    messages[command] = message(name, spec.summary, commandFrame(name, components.refer(spec.data)));
    messages[ack] = message("ack", `The answer to ${name}.`, ackFrame(components.refer(spec.ack)));
    operations[command] = {
      action: "receive",
      tags: [{ name: "command" }],
      channel: CHANNEL,
      summary: spec.summary,
      description: `Errors: ${commandErrors(spec)}.`,
      messages: [inChannel(command)],
      reply: { channel: CHANNEL, messages: [inChannel(ack), inChannel("error")] },
    };
  }
  for (const [name, spec] of events) {
    const event = key("event", name);
    messages[event] = message(name, spec.summary, eventFrame(name, components.refer(spec.data)));
    operations[event] = {
      action: "send",
      tags: [{ name: "event" }],
      channel: CHANNEL,
      summary: spec.summary,
      description: spec.durable
        ? "Durable: sent again, once and in order, when a client resumes."
        : "Transient: not stored.",
      messages: [inChannel(event)],
    };
  }
  return {
    asyncapi: "3.1.0",
    info: {
      title: "Parley, live",
      version: "1",
      description: INTRODUCTION,
      license: { name: "MIT" },
      ...(config.publicUrl === null
        ? {}
        : { contact: { name: "The operators of this server", url: config.publicUrl } }),
      tags: [
        { name: "command", description: "What a client sends." },
        { name: "event", description: "What the server sends." },
      ],
    },
    servers: { parley: server(config) },
    channels: {
      socket: {
        address: "/api/ws",
        description: "The WebSocket. JSON text frames of at most 64 KiB.",
        bindings: { ws: { method: "GET", query: components.refer(SocketQuery) } },
        messages: Object.fromEntries(Object.keys(messages).map((id) => [id, { $ref: `#/components/messages/${id}` }])),
      },
    },
    operations,
    components: { messages, schemas: components.schemas },
  };
}

const CLOSE_TEXTS: Record<keyof typeof CLOSE, string> = {
  restart: "the server restarts; connect again",
  badFrames: "bad frames",
  sessionOver: "the session has ended, or the API key is unknown",
  accessEnded: "access ended: suspended, key revoked, or agent paused",
  tooFast: "too many frames",
  tooSlow: "the client reads too slowly; connect again and resume by seq",
};

/** The introduction to the tables; also shown on the HTML page. */
export const INTRODUCTION = `A socket is authenticated by the session's cookie at the handshake or by the command \`auth:login\`; otherwise it is a guest.
An agent sends its API key with the handshake, \`Authorization: Bearer <key>\`, or with the command \`auth:agent\`; its commands then act as the routes of agents do.
A command is \`{event, data, ref?}\`. Its answer is \`{event: "ack", ref, data}\` or \`{event: "error", ref, data}\`. An event is \`{event, data}\`.
Durable events carry the channel's gapless \`seq\`: join again with \`after_seq\` and \`epoch\` to get the missed events, once and in order.
A socket that is opened with \`?frames=compact\` gets the messages in \`message:new\` and \`message:update\` without the fields that have their usual value, and a frame may be an array of several events. It is confirmed by \`frames\` in \`session:ready\`; section 8 of the protocol has the table of these values.

Close codes: ${Object.entries(CLOSE)
  .map(([name, code]) => `${code} ${CLOSE_TEXTS[name as keyof typeof CLOSE]}`)
  .join(" · ")}.

Agents can read the same events as server-sent events at GET /api/agenthub/events.`;

/** Returns all error codes of a command, as text. */
export function commandErrors(spec: CommandSpec): string {
  return codesOf(spec)
    .map((code) => `\`${code}\``)
    .join(", ");
}

const CHANNEL = { $ref: "#/channels/socket" };

/** Component names may not contain a colon in AsyncAPI, and some commands and events share a name. */
const key = (kind: "command" | "ack" | "event", name: string): string => `${kind}.${name.replaceAll(":", ".")}`;
const inChannel = (id: string): JsonSchema => ({ $ref: `#/channels/socket/messages/${id}` });

function message(name: string, summary: string, payload: JsonSchema): JsonSchema {
  return { name, summary, contentType: "application/json", payload };
}

const ANY_REF = Nullable(Ref);

function commandFrame(name: string, data: JsonSchema): JsonSchema {
  const isEmpty = Object.keys(data.properties ?? {}).length === 0;
  return frame({ event: { const: name }, data, ref: ANY_REF }, isEmpty ? ["event"] : ["event", "data"]);
}

function ackFrame(data: JsonSchema): JsonSchema {
  return frame({ event: { const: "ack" }, ref: ANY_REF, data }, ["event", "ref", "data"]);
}

function eventFrame(name: string, data: JsonSchema): JsonSchema {
  return frame({ event: { const: name }, data }, ["event", "data"]);
}

function frame(properties: JsonSchema, required: string[]): JsonSchema {
  return { type: "object", required, properties };
}

function server({ publicUrl, host, port }: Pick<Config, "publicUrl" | "host" | "port">): JsonSchema {
  const url = new URL(publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`);
  return { host: url.host, protocol: url.protocol === "https:" ? "wss" : "ws" };
}
