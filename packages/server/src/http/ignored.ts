import type { TSchema } from "typebox";
import { fail } from "../errors.ts";

/** Bounds of the header: number of names, characters per name, characters in total. */
const NAMES_MAX = 10;
const NAME_MAX = 64;
const HEADER_MAX = 512;

/** The names of a schema's fields; null if every name is allowed. */
export type KnownNames = ReadonlySet<string> | null;

interface Shape {
  type?: string;
  properties?: Record<string, TSchema>;
  additionalProperties?: unknown;
  anyOf?: TSchema[];
  allOf?: TSchema[];
}

/** Collects the names of the fields that a schema describes, of all its variants together. */
export function knownNames(schema: TSchema | undefined): KnownNames {
  if (schema === undefined) return new Set();
  const { type, properties, additionalProperties, anyOf, allOf } = schema as Shape;
  const parts = [...(anyOf ?? []), ...(allOf ?? [])];
  if (parts.length === 0 && properties === undefined) return type === "null" ? new Set() : null;
  if (additionalProperties !== undefined && additionalProperties !== false) return null;
  const names = new Set(Object.keys(properties ?? {}));
  for (const part of parts) {
    const of = knownNames(part);
    if (of === null) return null;
    for (const name of of) names.add(name);
  }
  return names;
}

/**
 * Returns the value of `X-Ignored`: the unknown names, percent-encoded and separated by commas; null if all are known
 * (protocol §0). Its length is bounded, however many names were sent.
 */
export function ignoredNames(known: KnownNames, sent: Iterable<string>): string | null {
  if (known === null) return null;
  const ignored = new Set<string>();
  let length = 0;
  for (const name of sent) {
    if (known.has(name)) continue;
    const encoded = encodeURIComponent(name.slice(0, NAME_MAX).toWellFormed());
    if (ignored.has(encoded)) continue;
    length += encoded.length + 1;
    if (length > HEADER_MAX || ignored.size === NAMES_MAX) break;
    ignored.add(encoded);
  }
  return ignored.size === 0 ? null : [...ignored].join(",");
}

/**
 * Rejects a parameter that differs from a known one by a single edit: it is a typo, and the effect of a mistyped
 * `mark_read=false` cannot be undone (protocol §0). Errors: `invalid_request`.
 */
export function refuseTypos(known: KnownNames, sent: Iterable<string>): void {
  if (known === null) return;
  for (const name of sent) {
    if (known.has(name)) continue;
    const meant = [...known].find((candidate) => isOneEdit(name, candidate));
    if (meant !== undefined) {
      const path = name.slice(0, NAME_MAX).toWellFormed();
      throw fail("invalid_request", { details: [{ path, message: `is unknown; did you mean ${meant}?` }] });
    }
  }
}

/** Returns whether one insertion, deletion, substitution or swap of two neighbours turns one word into the other. */
export function isOneEdit(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const isSwap = restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2);
  const isChange = restA.slice(1) === restB.slice(1);
  return isSwap || isChange || restA.slice(1) === restB || restA === restB.slice(1);
}
