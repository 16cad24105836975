import { characterEntitiesHtml4 } from "character-entities-html4";

/**
 * Decodes a named character reference such as `eacute`; false: unknown, shown as it was written. The bundler puts this in
 * the place of the package `decode-named-character-reference` (`server/src/web/bundle.ts`): for browsers that one sets
 * `innerHTML`, which the pages' policy forbids, and for others it has all 2,125 names, of which messages need these.
 */
export function decodeNamedCharacterReference(name: string): string | false {
  return Object.hasOwn(characterEntitiesHtml4, name) ? (characterEntitiesHtml4[name] ?? false) : false;
}
