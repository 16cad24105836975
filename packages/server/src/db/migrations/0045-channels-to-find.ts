import type { Migration } from "./migration.ts";

/** The channels that everybody can find, in the order of their list: private ones need not be walked through. */
export const channelsToFind: Migration = {
  name: "0045-channels-to-find",
  async up() {},
  indexes: [
    {
      name: "channels_to_find",
      on: "channels (id) where deleted_at is null and (is_private = 0 or password_hash is not null)",
    },
  ],
};
