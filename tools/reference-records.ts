import type { TSchema } from "typebox";
import { OwnedAgent } from "../packages/protocol/src/claims.ts";
import { FileRecord } from "../packages/protocol/src/files.ts";
import { ImportRecord, UnclaimedPerson } from "../packages/protocol/src/imports.ts";
import { InboxItem } from "../packages/protocol/src/inbox.ts";
import { Channel, ChatMessage, OwnUser, Sticker } from "../packages/protocol/src/models.ts";
import { RedPacket, RedPacketClaim } from "../packages/protocol/src/red-packets.ts";
import { Thread } from "../packages/protocol/src/threads.ts";
import { Id, Seq, Timestamp } from "../packages/protocol/src/values.ts";

/** The parts of a JSON Schema that the tables show. */
interface Schema {
  title?: string;
  description?: string;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  format?: string;
  minimum?: number;
  maximum?: number;
  patternProperties?: object;
}

/** The records with a table in the protocol, which other tables only name. */
const RECORDS: readonly TSchema[] = [
  OwnUser,
  Channel,
  ChatMessage,
  Thread,
  Sticker,
  OwnedAgent,
  InboxItem,
  RedPacket,
  RedPacketClaim,
  FileRecord,
  ImportRecord,
  UnclaimedPerson,
];
const TABLES = new Map(RECORDS.map((record) => [(record as Schema).title ?? "", record as Schema]));

/** A record without a table is named, and its fields are not, if it has more of them. */
const FIELDS_NAMED = 7;

/** Returns the table of each record, by its name. */
export const recordTables = (): Map<string, string> =>
  new Map([...TABLES].map(([title, schema]) => [title, tableOf(schema)]));

function tableOf({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, field]) => {
    const isOptional = !required.includes(name);
    return `| \`${name}${isOptional ? "?" : ""}\` | ${typeOf(field)} | ${meaningOf(field)} |`;
  });
  return ["| Field | Type | Meaning |", "|---|---|---|", ...rows].join("\n");
}

/** The description of a field; that of a field which may be null is in its schema's other arm. */
function meaningOf({ description, anyOf = [] }: Schema): string {
  const found = description ?? anyOf.find((arm) => arm.description !== undefined)?.description ?? "";
  return found === (Timestamp as Schema).description ? "" : found;
}

const isLike = (schema: Schema, { type, minimum, maximum }: Schema) =>
  schema.type === type && schema.minimum === minimum && schema.maximum === maximum;

function typeOf(schema: Schema): string {
  const { title, type, anyOf, items, properties, required = [] } = schema;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  // A record with a table of its own is named; of others the fields are.
  if (title !== undefined && (TABLES.has(title) || Object.keys(properties ?? {}).length > FIELDS_NAMED)) return title;
  if (properties !== undefined) {
    const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
    return `\`{${names.join(", ")}}\``;
  }
  if (type === "string" && schema.format === (Timestamp as Schema).format) return "time";
  if (isLike(schema, Id as Schema)) return "id";
  if (isLike(schema, Seq as Schema)) return "seq";
  return type === "boolean" ? "true or false" : (type ?? "any");
}
