const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** Decodes the three entities that Slack writes, once. */
export const decoded = (text: string): string =>
  text.includes("&") ? text.replace(/&(?:lt|gt|amp);/g, (entity) => ENTITIES[entity] ?? entity) : text;
