/**
 * When the channels and accounts of an import are deleted that nobody may see yet (protocol §14.1): in the far future.
 * Every reader passes over what is deleted, and neither a purge nor a restoration looks that far. Epoch milliseconds.
 */
export const HIDDEN_AT = 253_402_300_799_000;
