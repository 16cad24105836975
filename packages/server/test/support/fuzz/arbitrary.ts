import fc from "fast-check";
import type { TSchema } from "typebox";

/** Values by field name, so that many generated values name existing objects. */
export type Pools = Readonly<Record<string, readonly unknown[]>>;

interface Json {
  type?: string;
  anyOf?: Json[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Json>;
  required?: string[];
  items?: Json;
  maxItems?: number;
}

/**
 * Text that has broken servers: control characters, lone surrogates, right-to-left and combining characters, prototype
 * keys, SQL, markup.
 */
export const NASTY_TEXT: readonly string[] = [
  "",
  " ",
  "\0",
  "a\0b",
  "\u001b[31m",
  "\ud800",
  "x\udfffy",
  "\u202egnp.exe",
  "e\u0301\u0301\u0301",
  "👩‍👩‍👧‍👦".repeat(20),
  "ﷺ".repeat(100),
  "İıſK",
  "__proto__",
  "constructor",
  "null",
  "NaN",
  "1e3",
  "0x10",
  "-0",
  "'; drop table messages; --",
  "%' or '1'='1",
  "<img src=x onerror=alert(1)>",
  "../../etc/passwd",
  "@all @ann @helper @@ @\u200d",
  "x".repeat(5_000),
  "😀".repeat(4_001),
];

const NASTY_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  9007199254740991,
  9007199254740992,
  -9007199254740992,
  [],
  {},
  [null],
  [[[[[]]]]],
  { a: { b: { c: {} } } },
  ...NASTY_TEXT,
];

/** Generates values that match the schema. Fields with a pool mostly use it. */
export function fitting(schema: TSchema, pools: Pools = {}, name = ""): fc.Arbitrary<unknown> {
  const own = bySchema(schema as Json, pools);
  const pool = pools[name];
  return pool === undefined
    ? own
    : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...pool) }, { weight: 1, arbitrary: own });
}

function bySchema(schema: Json, pools: Pools): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((arm) => bySchema(arm, pools)));
  switch (schema.type) {
    case "string":
      return textBySchema(schema);
    case "integer":
    case "number":
      return fc.oneof(
        fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 300, (schema.minimum ?? -5) + 300) }),
        fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER),
      );
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(bySchema(schema.items ?? {}, pools), { maxLength: Math.min(schema.maxItems ?? 5, 5) });
    case "object":
      return objectBySchema(schema, pools);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textBySchema(schema: Json): fc.Arbitrary<unknown> {
  if (schema.format === "date-time") {
    return fc.date({ min: new Date(0), max: new Date(8.64e15), noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern, "u"));
  const max = Math.min(schema.maxLength ?? 40, 40);
  return fc.string({ unit: "grapheme", minLength: schema.minLength ?? 0, maxLength: max });
}

function objectBySchema({ properties = {}, required = [] }: Json, pools: Pools): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, fitting(field as TSchema, pools, name)]),
  );
  return fc.record(fields, { requiredKeys: required });
}

/** Generates objects that match, and as many with one or two changes: values removed, replaced or added. */
export function nearlyFitting(schema: TSchema, pools: Pools = {}): fc.Arbitrary<unknown> {
  const object = objectBySchema(schema as Json, pools);
  const names = Object.keys((schema as Json).properties ?? {});
  const name = fc.constantFrom(...names, "extra", "id", "points", "admin_level");
  const change = fc.oneof(
    fc.record({ kind: fc.constant("remove" as const), name, value: fc.constant(null) }),
    fc.record({ kind: fc.constant("set" as const), name, value: fc.constantFrom(...NASTY_VALUES) }),
    fc.record({ kind: fc.constant("set" as const), name, value: fc.string({ unit: "binary", maxLength: 50 }) }),
  );
  const changed = fc.tuple(object, fc.array(change, { minLength: 1, maxLength: 2 })).map(([value, changes]) => {
    const copy = { ...value };
    for (const { kind, name, value } of changes) {
      if (kind === "remove") delete copy[name];
      else copy[name] = value;
    }
    return copy;
  });
  return fc.oneof(object, changed);
}

/** Generates the text of a body or frame: JSON of such an object, and rarely something else. */
export function nearlyJson(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const json = value.map((value) => JSON.stringify(value));
  const broken = fc.tuple(json, fc.nat(), fc.string({ unit: "binary", maxLength: 3 })).map(([text, at, bytes]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + bytes + text.slice(place + 1);
  });
  const other = fc.constantFrom(
    "",
    "null",
    "[]",
    "0",
    '"text"',
    "{",
    '{"a":1}{"b":2}',
    `${"[".repeat(20)}${"]".repeat(20)}`,
    '{"__proto__":{"admin_level":3}}',
    '{"constructor":{"prototype":{"x":1}}}',
    `{"content":"${"x".repeat(70_000)}"}`,
  );
  return fc.oneof({ weight: 8, arbitrary: json }, { weight: 1, arbitrary: broken }, { weight: 1, arbitrary: other });
}
