import type { Migration } from "./migration.ts";

/**
 * The few rows of large tables that a start and its background work look for: channels with a retention of their own,
 * and users with a level.
 */
export const fewOfMany: Migration = {
  name: "0047-few-of-many",
  async up() {},
  indexes: [
    { name: "channels_with_retention", on: "channels (id) where retention_days is not null" },
    { name: "users_with_level", on: "users (admin_level) where admin_level is not null" },
  ],
};
