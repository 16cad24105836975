// biome-ignore-all lint/performance/noBarrelFile: This file is a part of the package's public interface.
/**
 * Calls that `UserClient` has no fields for, in groups: `client.group(Webhooks)`. A page that loads them with the code that
 * makes the calls keeps its first script small. `ParleyClient` has a field for each.
 */
export { KeyClaims } from "./resources/claims.ts";
export { CustomEmoji } from "./resources/emoji.ts";
export { Forwards } from "./resources/forwards.ts";
export { Imports } from "./resources/imports.ts";
export { Mail } from "./resources/mail.ts";
export { Polls } from "./resources/polls.ts";
export { Previews } from "./resources/previews.ts";
export { Reminders } from "./resources/reminders.ts";
export { Saved } from "./resources/saved.ts";
export { VoiceNotes } from "./resources/voice-notes.ts";
export { IncomingWebhooks, Webhooks } from "./resources/webhooks.ts";
