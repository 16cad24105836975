import { EN } from "./chat/chat.ts";
import { EN_NOTIFICATIONS } from "./notifications.ts";
import { EN_ACTIVITY } from "./parts/activity.ts";
import { EN_AT_WORK } from "./parts/at-work.ts";
import { EN_CARDS } from "./parts/cards.ts";
import { EN_CATCH_UP } from "./parts/catch-up.ts";
import { EN_EMOJI } from "./parts/emoji.ts";
import { EN_FACTORS } from "./parts/factors.ts";
import { EN_FILES } from "./parts/files.ts";
import { EN_FORWARDS } from "./parts/forwards.ts";
import { EN_IMPORTS } from "./parts/imports.ts";
import { EN_INVITATIONS } from "./parts/invitations.ts";
import { EN_LOGINS } from "./parts/logins.ts";
import { EN_MAIL } from "./parts/mail.ts";
import { EN_MEMBER_ACTS } from "./parts/member-acts.ts";
import { EN_MESSAGE_ACTS } from "./parts/message-acts.ts";
import { EN_NAVIGATION } from "./parts/navigation.ts";
import { EN_PANEL } from "./parts/panel.ts";
import { EN_PINS } from "./parts/pins.ts";
import { EN_POLLS } from "./parts/polls.ts";
import { EN_PREVIEWS } from "./parts/previews.ts";
import { EN_REMINDERS } from "./parts/reminders.ts";
import { EN_SAVED } from "./parts/saved.ts";
import { EN_SCHEDULED } from "./parts/scheduled.ts";
import { EN_SEARCH } from "./parts/search.ts";
import { EN_SECURITY } from "./parts/security.ts";
import { EN_SERVER_EMOJI } from "./parts/server-emoji.ts";
import { EN_SHOWN } from "./parts/shown.ts";
import { EN_SILENCE } from "./parts/silence.ts";
import { EN_SITE } from "./parts/site.ts";
import { EN_STICKERS } from "./parts/stickers.ts";
import { EN_VOICE } from "./parts/voice.ts";
import { EN_WELCOME } from "./parts/welcome.ts";
import { EN_WRITING } from "./parts/writing.ts";
import { EN_WINDOWS } from "./windows/windows.ts";

/**
 * All English texts of the chat, for their types and for tests. The page imports each feature's texts with the code that
 * shows them. Texts of errors, and of the page at /claim, are in `errors.ts` and `claim.ts`.
 */
export const EN_TEXTS = {
  chat: EN,
  notifications: EN_NOTIFICATIONS,
  windows: EN_WINDOWS,
  activity: EN_ACTIVITY,
  atWork: EN_AT_WORK,
  cards: EN_CARDS,
  catchUp: EN_CATCH_UP,
  emoji: EN_EMOJI,
  factors: EN_FACTORS,
  files: EN_FILES,
  imports: EN_IMPORTS,
  invitations: EN_INVITATIONS,
  mail: EN_MAIL,
  memberActs: EN_MEMBER_ACTS,
  navigation: EN_NAVIGATION,
  panel: EN_PANEL,
  messageActs: EN_MESSAGE_ACTS,
  pins: EN_PINS,
  forwards: EN_FORWARDS,
  logins: EN_LOGINS,
  saved: EN_SAVED,
  polls: EN_POLLS,
  previews: EN_PREVIEWS,
  reminders: EN_REMINDERS,
  scheduled: EN_SCHEDULED,
  search: EN_SEARCH,
  security: EN_SECURITY,
  serverEmoji: EN_SERVER_EMOJI,
  shown: EN_SHOWN,
  silence: EN_SILENCE,
  site: EN_SITE,
  stickers: EN_STICKERS,
  voice: EN_VOICE,
  welcome: EN_WELCOME,
  writing: EN_WRITING,
};
