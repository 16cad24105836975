/** A schema as JSON, ready for a document. */
export type JsonSchema = Record<string, unknown>;

/**
 * Collects the records of the protocol: each schema with a title is described once under `#/components/schemas` and
 * referenced everywhere else.
 */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {};

  /** Returns the schema with references in place of records. */
  refer(schema: unknown): JsonSchema {
    return this.#walk(schema) as JsonSchema;
  }

  #walk(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#walk(item));
    if (value === null || typeof value !== "object") return value;
    const { title, ...rest } = value as JsonSchema;
    // A property named "title" holds a schema, not a text.
    if (typeof title !== "string") return this.#walkFields(value as JsonSchema);
    if (this.schemas[title] === undefined) {
      this.schemas[title] = {};
      this.schemas[title] = this.#walkFields(rest);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  #walkFields(fields: JsonSchema): JsonSchema {
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, this.#walk(field)]));
  }
}

/**
 * Renders a schema in the notation of TypeScript types: `{ id: integer, name?: string }`. Records are written `@Name`,
 * for the caller to look up.
 */
export function shapeOf(schema: JsonSchema, indent = ""): string {
  const {
    $ref,
    anyOf,
    allOf,
    enum: values,
    type,
    items,
    properties,
  } = schema as {
    $ref?: string;
    anyOf?: JsonSchema[];
    allOf?: JsonSchema[];
    enum?: unknown[];
    type?: string;
    items?: JsonSchema;
    properties?: Record<string, JsonSchema>;
  };
  if ($ref !== undefined) return `@${$ref.slice($ref.lastIndexOf("/") + 1)}`;
  if (anyOf !== undefined) return anyOf.map((arm) => shapeOf(arm, indent)).join(" | ");
  if (allOf !== undefined) return allOf.map((part) => shapeOf(part, indent)).join(" & ");
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (type === "array") return arrayOf(shapeOf(items ?? {}, indent));
  if (properties !== undefined) return objectOf(properties, (schema.required ?? []) as string[], indent);
  return type ?? "any";
}

function arrayOf(item: string): string {
  return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectOf(properties: Record<string, JsonSchema>, required: readonly string[], indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, field]) => {
    const note = typeof field.description === "string" && field.$ref === undefined ? `  // ${field.description}` : "";
    return `${inner}${name}${required.includes(name) ? "" : "?"}: ${shapeOf(field, inner)}${note}`;
  });
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${indent}}`;
}
