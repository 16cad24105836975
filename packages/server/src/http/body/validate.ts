import type { ErrorCode } from "@parley/protocol/errors";
import type { Static, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Set as setFormat } from "typebox/format";
import { isTimeText } from "../../base/iso-time.ts";
import { type AppError, fail } from "../../errors.ts";
import type { Route } from "../route.ts";
import { isStorable } from "./body.ts";

// For every schema of this process.
setFormat("date-time", isTimeText);

/** By the name of a field, or by the path of a field of a list's items: `messages.*.message`. */
export type InvalidCodes = Record<string, ErrorCode | readonly [missing: ErrorCode, wrong: ErrorCode]>;

interface Complaint {
  path: string;
  message: string;
  missing: boolean;
}

/** Validates values against one schema; compiled on first use, so that start-up stays short. */
export class Validator {
  readonly #schema: TSchema;
  readonly #invalid: InvalidCodes;
  readonly #fallback: ErrorCode;
  readonly #readOnly: readonly string[];
  #compiled: ReturnType<typeof Compile> | undefined;

  /** `readOnly`: fields that exist but cannot be written (`field_not_writable`). */
  constructor(
    schema: TSchema,
    invalid: InvalidCodes = {},
    fallback: ErrorCode = "invalid_request",
    readOnly: readonly string[] = [],
  ) {
    this.#readOnly = readOnly;
    this.#schema = schema;
    this.#invalid = invalid;
    this.#fallback = fallback;
  }

  /** Throws the code of the first wrong field, or `invalid_request` with all complaints. */
  check(value: unknown): void {
    if (value !== null && typeof value === "object") {
      for (const field of this.#readOnly) {
        if (Object.hasOwn(value, field)) {
          throw fail("field_not_writable", { details: [{ path: field, message: "cannot be written" }] });
        }
      }
    }
    this.#compiled ??= Compile(this.#schema);
    if (!this.#compiled.Check(value)) throw this.#error(value);
  }

  #error(value: unknown): AppError {
    const complaints = complaintsOf(this.#compiled?.Errors(value) ?? [], value);
    for (const complaint of complaints) {
      const codes = this.#codesOf(complaint.path);
      if (codes === undefined) continue;
      const code = typeof codes === "string" ? codes : codes[complaint.missing ? 0 : 1];
      return fail(code, { details: [{ path: complaint.path, message: complaint.message }] });
    }
    return fail(this.#fallback, { details: complaints.slice(0, 20).map(({ path, message }) => ({ path, message })) });
  }

  #codesOf(path: string): InvalidCodes[string] | undefined {
    const inItems = this.#invalid[path.replace(/(?<=\.)\d+(?=\.|$)/g, "*")];
    return inItems ?? this.#invalid[path.split(".", 1)[0] ?? ""];
  }
}

interface SchemaError {
  keyword: string;
  instancePath: string;
  params: unknown;
  message: string;
}

/** Returns one complaint per field: TypeBox reports every arm of a union in addition to the union itself. */
function complaintsOf(errors: readonly unknown[], value: unknown): Complaint[] {
  const byPath = new Map<string, Complaint>();
  const add = (path: string, message: string, missing: boolean) => {
    if (!byPath.has(path)) byPath.set(path, { path, message, missing });
  };
  for (const error of errors as readonly SchemaError[]) {
    const path = error.instancePath.slice(1).replaceAll("/", ".");
    if (error.keyword === "required") {
      const names = (error.params as { requiredProperties: string[] }).requiredProperties;
      for (const name of names) add(path === "" ? name : `${path}.${name}`, "is required", true);
    } else add(path, error.message, isBlank(value, path) || isNoText(error));
  }
  return [...byPath.values()];
}

/** An empty string and null count as missing: `content: ""` is `content_required`. */
function isBlank(value: unknown, path: string): boolean {
  if (path === "") return false;
  let field = value;
  for (const name of path.split(".")) field = (field as Record<string, unknown> | null | undefined)?.[name];
  return field === "" || field === null;
}

/** A non-text where text is required also counts as missing: `content: 5` is not too long. */
const isNoText = ({ keyword, params }: SchemaError): boolean =>
  keyword === "type" && (params as { type?: unknown }).type === "string";

type Decode = (text: string) => unknown;

/** Parses query strings and path parameters by the types in their schema. */
export class FieldReader {
  readonly #fields: readonly (readonly [name: string, decode: Decode])[];
  readonly #validator: Validator;
  readonly #fallback: ErrorCode;

  constructor(schema: TObject, invalid: InvalidCodes, fallback: ErrorCode) {
    this.#fallback = fallback;
    this.#fields = Object.entries(schema.properties).map(
      ([name, field]) => [name, decoderOf(field as TSchema)] as const,
    );
    this.#validator = new Validator(schema, invalid, fallback);
  }

  read(source: (name: string) => string | null | undefined): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    for (const [name, decode] of this.#fields) {
      const text = source(name);
      if (text === null || text === undefined) continue;
      if (!isStorable(text)) throw fail(this.#fallback, { details: [{ path: name, message: "is not text" }] });
      value[name] = decode(text);
    }
    this.#validator.check(value);
    return value;
  }
}

const INTEGER = /^-?(0|[1-9][0-9]{0,15})$/;
const LARGE = /^[1-9][0-9]{15,}$/;

/** A number to be clamped may exceed the safe integers. */
const clamped: Decode = (text) =>
  INTEGER.test(text) || LARGE.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : text;

/** Python writes `True`. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** Leaves unparsable text as it is, so that the schema rejects it with its own message. */
function decoderOf(schema: TSchema): Decode {
  const { type, anyOf, maximum } = schema as { type?: string; anyOf?: TSchema[]; maximum?: number };
  if (type === "integer" && maximum === undefined) return clamped;
  if (type === "integer" || type === "number") return (text) => (INTEGER.test(text) ? Number(text) : text);
  if (type === "boolean") return (text) => FLAGS.get(text.toLowerCase()) ?? text;
  const numeric = anyOf?.some((arm) => (arm as { type?: string }).type === "integer") ?? false;
  return numeric ? (text) => (INTEGER.test(text) ? Number(text) : text) : (text) => text;
}

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>();

/** Returns true if the value matches the schema, which must be a constant: it is compiled on first use and cached. */
export function matchesSchema<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
  const known = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, known);
  return known.Check(value);
}

/** The readers of a route's input. The handler of a streamed upload checks its body itself. */
export interface InputReaders {
  readonly params: FieldReader | undefined;
  readonly query: FieldReader | undefined;
  readonly body: Validator | undefined;
}

/** Prepares the readers of a route's input, by its schemas and codes. */
export function inputReaders({ params, query, body, readOnly, upload, invalid = {} }: Route): InputReaders {
  return {
    params: params && new FieldReader(params as TObject, invalid, "invalid_id"),
    query: query && new FieldReader(query as TObject, { limit: "invalid_limit", ...invalid }, "invalid_request"),
    body: upload?.isStreamed === true ? undefined : body && new Validator(body, invalid, "invalid_request", readOnly),
  };
}
