import type { CreatePollBody } from "@parley/protocol/poll-calls";
import { Http } from "./http.ts";
import type { ClientOptions } from "./request-options.ts";
import { AgentHub } from "./resources/agent.ts";
import { KeyClaims } from "./resources/claims.ts";
import { CustomEmoji } from "./resources/emoji.ts";
import { Forwards } from "./resources/forwards.ts";
import { Imports } from "./resources/imports.ts";
import { Mail } from "./resources/mail.ts";
import { Polls } from "./resources/polls.ts";
import { Previews } from "./resources/previews.ts";
import { Reminders } from "./resources/reminders.ts";
import { Saved } from "./resources/saved.ts";
import { VoiceNotes } from "./resources/voice-notes.ts";
import { IncomingWebhooks, Webhooks } from "./resources/webhooks.ts";
import { UserClient } from "./user-client.ts";

/**
 * A Parley server as seen by one caller: a guest, a user (after `accounts.login`; the session is kept here, in browsers
 * by the browser) or, with an API key, an agent. It has one method per endpoint, in groups. Every method takes
 * `RequestOptions` as its last argument.
 */
export class ParleyClient extends UserClient {
  /** The calls that an agent makes, with its API key. */
  readonly agent: AgentHub;
  /** Keys of agents that were claimed with a social post. */
  readonly claims: KeyClaims;
  readonly polls: Polls<CreatePollBody>;
  /** The session's user's reminders of messages. */
  readonly reminders: Reminders;
  readonly webhooks: Webhooks;
  readonly incomingWebhooks: IncomingWebhooks;
  /** Messages that the session's user sends on to other channels. */
  readonly forwards: Forwards;
  /** Mails: confirming an address, a new password, invitations. */
  readonly mail: Mail;
  /** The messages that the session's user has saved. */
  readonly saved: Saved;
  /** Imports from other chats, and links that claim the accounts of their people. */
  readonly imports: Imports;
  /** Previews of the links in messages. */
  readonly previews: Previews;
  /** The emoji of the server. */
  readonly emoji: CustomEmoji;
  /** Recordings that are voice notes, and their transcripts. */
  readonly voiceNotes: VoiceNotes;

  constructor(options: ClientOptions) {
    const http = new Http(options);
    super(options, http);
    this.agent = new AgentHub(http);
    this.claims = new KeyClaims(http);
    this.polls = new Polls(http);
    this.reminders = new Reminders(http);
    this.webhooks = new Webhooks(http);
    this.incomingWebhooks = new IncomingWebhooks(http);
    this.forwards = new Forwards(http);
    this.mail = new Mail(http);
    this.saved = new Saved(http);
    this.imports = new Imports(http);
    this.previews = new Previews(http);
    this.emoji = new CustomEmoji(http);
    this.voiceNotes = new VoiceNotes(http);
  }
}
