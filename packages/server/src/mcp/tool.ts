import type { ErrorCode } from "@parley/protocol/errors";
import type { Static, TObject, TSchema } from "typebox";
import { fail } from "../errors.ts";
import { type InvalidCodes, matchesSchema, Validator } from "../http/body/validate.ts";
import { isOneEdit } from "../http/ignored.ts";
import { type McpCall, type Rest, restOf } from "./mcp-call.ts";

declare module "../module.ts" {
  interface Module {
    /** Tools of MCP that the feature gives to agents. */
    readonly tools?: readonly Tool[];
  }
}

/** The body of a REST answer. */
export type Body = Record<string, unknown>;

/** The result of a tool: the body that the REST route answers with, and a text for the model. */
export interface ToolAnswer {
  body: Body;
  text: string;
  /** A picture for the model, in base64. */
  image?: { data: string; mimeType: string };
  /** Sound for the model, in base64. */
  audio?: { data: string; mimeType: string };
}

/** The effects of a tool, as hosts learn of them (protocol §12). */
export interface Effects {
  readOnlyHint: boolean;
  idempotentHint: boolean;
  destructiveHint: boolean;
  openWorldHint: boolean;
}

interface ToolSpec<I extends TObject, R extends string> {
  name: string;
  title: string;
  description: string;
  input: I;
  output: TSchema;
  effects: Effects;
  /** The names of the routes that the tool calls, and no others. It answers with the body of the last. */
  routes: readonly R[];
  /** The codes of wrong or missing arguments, as in a route; others are `invalid_request`. */
  invalid?: InvalidCodes;
  run(rest: Rest<R>, args: Static<I>, call: McpCall): Promise<ToolAnswer>;
}

/** A tool of MCP. `run` checks the arguments first. */
export interface Tool {
  readonly name: string;
  /** The names of the routes that it calls. */
  readonly routes: readonly string[];
  readonly input: TObject;
  readonly effects: Effects;
  /** The entry of `tools/list`. */
  readonly listed: object;
  run(call: McpCall, args: unknown): Promise<ToolAnswer>;
}

/** Declares a tool. The types of its arguments and of the routes that it may call follow from the declaration. */
export function tool<I extends TObject, const R extends string>(spec: ToolSpec<I, R>): Tool {
  const { name, title, description, input, output, effects, routes } = spec;
  const validator = new Validator(input, spec.invalid ?? {});
  const known = Object.keys(input.properties);
  return {
    name,
    routes,
    input,
    effects,
    listed: { name, title, description, inputSchema: input, outputSchema: output, annotations: { title, ...effects } },
    async run(call, args) {
      const given = withoutNulls(input, args ?? {});
      refuseUnknown(known, given);
      validator.check(given);
      return spec.run(restOf(call), given as Static<I>, call);
    },
  };
}

/** Leaves out optional arguments that are null where null has no meaning of its own: some hosts fill in all of them. */
function withoutNulls(input: TObject, given: unknown): unknown {
  if (given === null || typeof given !== "object" || Array.isArray(given)) return given;
  const isAbsent = (name: string) => {
    const schema = input.properties[name];
    return schema !== undefined && input.required?.includes(name) !== true && !matchesSchema(schema, null);
  };
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== null || !isAbsent(name)));
}

/** Refuses arguments that the tool does not have. A model that guessed a name learns which one is wrong. */
function refuseUnknown(known: readonly string[], given: unknown): void {
  if (given === null || typeof given !== "object" || Array.isArray(given)) return;
  const details = Object.keys(given)
    .filter((name) => !known.includes(name))
    .slice(0, 20)
    .map((name) => {
      const meant = known.find((candidate) => isOneEdit(name, candidate));
      const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
      return { path: name.slice(0, 64).toWellFormed(), message: `is unknown${hint}` };
    });
  if (details.length > 0) throw fail("invalid_request", { details });
}

/** The code of a missing or empty channel. */
export const CHANNEL: Record<string, ErrorCode> = { channel: "channel_slug_required" };

/** Effects of a tool that changes nothing. */
export const reads = (openWorldHint: boolean): Effects => ({
  readOnlyHint: true,
  idempotentHint: true,
  destructiveHint: false,
  openWorldHint,
});

/** Effects of a tool that changes something; repeating it changes nothing more. */
export const repeatable = (effects: Pick<Effects, "destructiveHint" | "openWorldHint">): Effects => ({
  readOnlyHint: false,
  idempotentHint: true,
  ...effects,
});
