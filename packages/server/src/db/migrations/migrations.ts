import { house } from "./0001-house.ts";
import type { Migration } from "./migration.ts";

/**
 * Every migration in order; the place in this list (from 1) is the schema's number. Append only: a published migration is
 * never edited, moved or removed. Imported by name so that a bundled executable carries them.
 */
export const MIGRATIONS: readonly Migration[] = [house];
