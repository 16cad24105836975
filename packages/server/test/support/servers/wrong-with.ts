import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

const compiled = new WeakMap<TSchema, ReturnType<typeof Compile>>();

function compiledOf(schema: TSchema) {
  const known = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, known);
  return known;
}

/** Returns what differs between a value and its schema, with fields that the schema does not name; empty if nothing. */
export function wrongWith(schema: TSchema, value: unknown): string[] {
  const check = compiledOf(schema);
  if (!check.Check(value))
    return check
      .Errors(value)
      .slice(0, 3)
      .map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  return undeclared(schema, value, "").map((path) => `${path} is not declared`);
}

interface Shape {
  type?: string;
  anyOf?: TSchema[];
  allOf?: TSchema[];
  items?: TSchema;
  properties?: Record<string, TSchema>;
  patternProperties?: object;
  additionalProperties?: boolean | object;
}

/** Returns the paths of fields that no part of the schema names. The value fits the schema. */
function undeclared(schema: TSchema, value: unknown, path: string): string[] {
  if (value === null || typeof value !== "object") return [];
  const { anyOf, allOf, items, properties, patternProperties, additionalProperties }: Shape = schema;
  if (anyOf !== undefined) {
    // Most unions add null to one kind of object, which then needs no second check.
    const objects = anyOf.filter(({ type }: Shape) => type === undefined || type === "object" || type === "array");
    const fitting = objects.length === 1 ? objects : objects.filter((branch) => compiledOf(branch).Check(value));
    return fewest(fitting.map((branch) => undeclared(branch, value, path)));
  }
  if (allOf !== undefined) {
    const [first = [], ...others] = allOf.map((part) => undeclared(part, value, path));
    return first.filter((field) => others.every((fields) => fields.includes(field)));
  }
  if (Array.isArray(value))
    return items === undefined ? [] : value.flatMap((item) => undeclared(items, item, `${path}/*`));
  if (properties === undefined) return [];
  const isOpen = patternProperties !== undefined || (additionalProperties ?? false) !== false;
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties[name];
    if (known !== undefined) return undeclared(known, field, `${path}/${name}`);
    return isOpen ? [] : [`${path}/${name}`];
  });
}

const fewest = (found: string[][]): string[] => found.reduce((a, b) => (b.length < a.length ? b : a), found[0] ?? []);
