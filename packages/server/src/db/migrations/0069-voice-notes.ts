import type { Migration } from "./migration.ts";

/**
 * The duration, waveform and transcript of a file that is a voice note (protocol §13.18). For a node of the release before,
 * it is sound like any other.
 */
export const voiceNotes: Migration = {
  name: "0069-voice-notes",
  async up({ columns: c, run }) {
    await run([`alter table files add column voice ${c.text}`]);
  },
};
