import type { LanguageTexts } from "../texts.ts";
import { ZH } from "./chat/chat.ts";
import { ZH_ACTIVITY } from "./parts/activity.ts";
import { ZH_AT_WORK } from "./parts/at-work.ts";
import { ZH_CARDS } from "./parts/cards.ts";
import { ZH_CATCH_UP } from "./parts/catch-up.ts";
import { ZH_EMOJI } from "./parts/emoji.ts";
import { ZH_FACTORS } from "./parts/factors.ts";
import { ZH_FILES } from "./parts/files.ts";
import { ZH_FORWARDS } from "./parts/forwards.ts";
import { ZH_IMPORTS } from "./parts/imports.ts";
import { ZH_INVITATIONS } from "./parts/invitations.ts";
import { ZH_LOGINS } from "./parts/logins.ts";
import { ZH_MAIL } from "./parts/mail.ts";
import { ZH_MEMBER_ACTS } from "./parts/member-acts.ts";
import { ZH_MESSAGE_ACTS } from "./parts/message-acts.ts";
import { ZH_NAVIGATION } from "./parts/navigation.ts";
import { ZH_PANEL } from "./parts/panel.ts";
import { ZH_PINS } from "./parts/pins.ts";
import { ZH_POLLS } from "./parts/polls.ts";
import { ZH_PREVIEWS } from "./parts/previews.ts";
import { ZH_REMINDERS } from "./parts/reminders.ts";
import { ZH_SAVED } from "./parts/saved.ts";
import { ZH_SCHEDULED } from "./parts/scheduled.ts";
import { ZH_SEARCH } from "./parts/search.ts";
import { ZH_SECURITY } from "./parts/security.ts";
import { ZH_SERVER_EMOJI } from "./parts/server-emoji.ts";
import { ZH_SHOWN } from "./parts/shown.ts";
import { ZH_SILENCE } from "./parts/silence.ts";
import { ZH_SITE } from "./parts/site.ts";
import { ZH_STICKERS } from "./parts/stickers.ts";
import { ZH_VOICE } from "./parts/voice.ts";
import { ZH_WELCOME } from "./parts/welcome.ts";
import { ZH_WRITING } from "./parts/writing.ts";
import { ZH_WINDOWS } from "./windows/windows.ts";

/** All Chinese texts of the chat; they load before it is shown. A missing one is shown in English. */
export const ZH_TEXTS: LanguageTexts = {
  chat: ZH,
  windows: ZH_WINDOWS,
  activity: ZH_ACTIVITY,
  atWork: ZH_AT_WORK,
  cards: ZH_CARDS,
  catchUp: ZH_CATCH_UP,
  emoji: ZH_EMOJI,
  factors: ZH_FACTORS,
  files: ZH_FILES,
  imports: ZH_IMPORTS,
  invitations: ZH_INVITATIONS,
  mail: ZH_MAIL,
  memberActs: ZH_MEMBER_ACTS,
  navigation: ZH_NAVIGATION,
  panel: ZH_PANEL,
  messageActs: ZH_MESSAGE_ACTS,
  pins: ZH_PINS,
  forwards: ZH_FORWARDS,
  logins: ZH_LOGINS,
  saved: ZH_SAVED,
  polls: ZH_POLLS,
  previews: ZH_PREVIEWS,
  reminders: ZH_REMINDERS,
  scheduled: ZH_SCHEDULED,
  search: ZH_SEARCH,
  security: ZH_SECURITY,
  serverEmoji: ZH_SERVER_EMOJI,
  shown: ZH_SHOWN,
  silence: ZH_SILENCE,
  site: ZH_SITE,
  stickers: ZH_STICKERS,
  voice: ZH_VOICE,
  welcome: ZH_WELCOME,
  writing: ZH_WRITING,
};
