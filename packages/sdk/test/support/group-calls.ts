import type { ParleyClient } from "../../src/client.ts";
import { emojiCalls } from "./emoji-calls.ts";
import type { Calls } from "./every-call.ts";
import { importCalls } from "./import-calls.ts";
import { voiceCalls } from "./voice-calls.ts";

/** The calls of the groups that have files of their own. */
export const groupCalls = (client: ParleyClient): Calls => ({
  ...emojiCalls(client.emoji),
  ...importCalls(client.imports),
  ...voiceCalls(client.voiceNotes),
});
