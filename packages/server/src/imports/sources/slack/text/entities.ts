const ENTITIES: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Returns the character of an entity that Slack writes; any other text as it is. */
export const characterOf = (entity: string): string => ENTITIES[entity] ?? entity;

/** Decodes the three entities that Slack writes, once. */
export const decoded = (text: string): string =>
  text.includes("&") ? text.replace(/&(?:lt|gt|amp);/g, characterOf) : text;
