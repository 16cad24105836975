import type { LanguageTexts } from "../texts.ts";
import { ES } from "./chat/chat.ts";
import { ES_ACTIVITY } from "./parts/activity.ts";
import { ES_AT_WORK } from "./parts/at-work.ts";
import { ES_CARDS } from "./parts/cards.ts";
import { ES_CATCH_UP } from "./parts/catch-up.ts";
import { ES_EMOJI } from "./parts/emoji.ts";
import { ES_FACTORS } from "./parts/factors.ts";
import { ES_FILES } from "./parts/files.ts";
import { ES_FORWARDS } from "./parts/forwards.ts";
import { ES_IMPORTS } from "./parts/imports.ts";
import { ES_INVITATIONS } from "./parts/invitations.ts";
import { ES_LOGINS } from "./parts/logins.ts";
import { ES_MAIL } from "./parts/mail.ts";
import { ES_MEMBER_ACTS } from "./parts/member-acts.ts";
import { ES_MESSAGE_ACTS } from "./parts/message-acts.ts";
import { ES_NAVIGATION } from "./parts/navigation.ts";
import { ES_PANEL } from "./parts/panel.ts";
import { ES_PINS } from "./parts/pins.ts";
import { ES_POLLS } from "./parts/polls.ts";
import { ES_PREVIEWS } from "./parts/previews.ts";
import { ES_REMINDERS } from "./parts/reminders.ts";
import { ES_SAVED } from "./parts/saved.ts";
import { ES_SCHEDULED } from "./parts/scheduled.ts";
import { ES_SEARCH } from "./parts/search.ts";
import { ES_SECURITY } from "./parts/security.ts";
import { ES_SERVER_EMOJI } from "./parts/server-emoji.ts";
import { ES_SHOWN } from "./parts/shown.ts";
import { ES_SILENCE } from "./parts/silence.ts";
import { ES_SITE } from "./parts/site.ts";
import { ES_STICKERS } from "./parts/stickers.ts";
import { ES_VOICE } from "./parts/voice.ts";
import { ES_WELCOME } from "./parts/welcome.ts";
import { ES_WRITING } from "./parts/writing.ts";
import { ES_WINDOWS } from "./windows/windows.ts";

/** All Spanish texts of the chat; they load before it is shown. A missing one is shown in English. */
export const ES_TEXTS: LanguageTexts = {
  chat: ES,
  windows: ES_WINDOWS,
  activity: ES_ACTIVITY,
  atWork: ES_AT_WORK,
  cards: ES_CARDS,
  catchUp: ES_CATCH_UP,
  emoji: ES_EMOJI,
  factors: ES_FACTORS,
  files: ES_FILES,
  imports: ES_IMPORTS,
  invitations: ES_INVITATIONS,
  mail: ES_MAIL,
  memberActs: ES_MEMBER_ACTS,
  navigation: ES_NAVIGATION,
  panel: ES_PANEL,
  messageActs: ES_MESSAGE_ACTS,
  pins: ES_PINS,
  forwards: ES_FORWARDS,
  logins: ES_LOGINS,
  saved: ES_SAVED,
  polls: ES_POLLS,
  previews: ES_PREVIEWS,
  reminders: ES_REMINDERS,
  scheduled: ES_SCHEDULED,
  search: ES_SEARCH,
  security: ES_SECURITY,
  serverEmoji: ES_SERVER_EMOJI,
  shown: ES_SHOWN,
  silence: ES_SILENCE,
  site: ES_SITE,
  stickers: ES_STICKERS,
  voice: ES_VOICE,
  welcome: ES_WELCOME,
  writing: ES_WRITING,
};
