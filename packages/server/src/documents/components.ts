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
