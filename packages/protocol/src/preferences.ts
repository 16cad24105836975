import { type Static, Type } from "typebox";
import { PREFERENCES_PER_REQUEST, SECTION_NAME_MAX, TIME_ZONE_MAX } from "./limits.ts";
import { Id, Nullable, response, Timestamp } from "./values.ts";

/** Values by channel id. `max`: how many a request may name. */
const byChannel = <S extends Parameters<typeof Type.Record>[1]>(value: S, max?: number) =>
  Type.Record(Type.String({ pattern: "^[1-9][0-9]{0,14}$" }), value, {
    additionalProperties: false,
    ...(max === undefined ? {} : { maxProperties: max }),
  });

/** Which messages call the user: all, mentions and direct messages, or none (protocol §3). */
export const NotificationLevel = Type.Enum(["all", "mentions", "none"], {
  description: "`mentions` includes all messages of direct conversations.",
});
export type NotificationLevel = Static<typeof NotificationLevel>;

const notifications = {
  level: Nullable(NotificationLevel),
  muted: Type.Boolean({
    description:
      "No notifications. Clients dim the channel and show no count, except mentions unless the level is none.",
  }),
};

/** How one channel calls the user. A null level follows the default. */
export const ChannelNotifications = Type.Object(notifications);
export type ChannelNotifications = Static<typeof ChannelNotifications>;

const TimeOfDay = Type.String({ pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" });

/** When and how push messages are sent to the user's browsers, and the hours that are quiet for mails, too (protocol §13.5). */
export const PushSettings = Type.Object({
  previews: Type.Boolean({ description: "Whether push messages contain the beginning of the text." }),
  quiet_from: Nullable(
    Type.String({ ...TimeOfDay, description: "The local time at which quiet hours begin; null if there are none." }),
  ),
  quiet_to: Nullable(
    Type.String({ ...TimeOfDay, description: "The local time at which they end, perhaps on the next day." }),
  ),
  zone: Nullable(
    Type.String({
      maxLength: TIME_ZONE_MAX,
      description: "The IANA time zone of the quiet hours, such as `Europe/Berlin`; null: UTC.",
    }),
  ),
});
export type PushSettings = Static<typeof PushSettings>;

/** When a mail lists what the user missed (protocol §13.5). */
export const DigestChoice = Type.Enum(["off", "away", "daily"], {
  description: "`away`: after the user has been away for a while. `daily`: in the morning. `off`: never.",
});
export type DigestChoice = Static<typeof DigestChoice>;

/** Which mails the user gets about what they missed, if they have confirmed an address. Quiet hours are those of `push`. */
export const MailSettings = Type.Object({
  digest: DigestChoice,
  previews: Type.Boolean({ description: "Whether mails contain the beginnings of the texts." }),
});
export type MailSettings = Static<typeof MailSettings>;

const MutedUntil = Nullable(
  Type.String({
    ...Timestamp,
    description: "Until then nothing is pushed and no digest is sent; the list of notifications still grows.",
  }),
);

const settings = {
  default: NotificationLevel,
  channels: byChannel(ChannelNotifications),
  push: Type.Optional(
    Type.Object(PushSettings.properties, { description: "Absent only from nodes of the release before." }),
  ),
  mail: Type.Optional(
    Type.Object(MailSettings.properties, { description: "Absent only from nodes of the release before." }),
  ),
  muted_until: Type.Optional(MutedUntil),
};

/** The user's default, and the channels that differ from `{level: null, muted: false}`. */
export const NotificationSettings = Type.Object(settings);
export type NotificationSettings = Static<typeof NotificationSettings>;

/** Response of GET /api/notifications/settings; of PUT, with the channels of the request. */
export const NotificationSettingsResponse = response(settings);
export type NotificationSettingsResponse = Static<typeof NotificationSettingsResponse>;

/** PUT /api/notifications/settings. Changes only what it names. */
export const UpdateNotificationSettingsBody = Type.Object({
  default: Type.Optional(NotificationLevel),
  channels: Type.Optional(byChannel(Type.Partial(ChannelNotifications), PREFERENCES_PER_REQUEST)),
  push: Type.Optional(Type.Partial(PushSettings)),
  mail: Type.Optional(Type.Partial(MailSettings)),
  muted_until: Type.Optional(MutedUntil),
});
export type UpdateNotificationSettingsBody = Static<typeof UpdateNotificationSettingsBody>;

/** The order of channels within a section: the newest message first, or by name. */
export const ChannelSorting = Type.Enum(["name", "activity"]);
export type ChannelSorting = Static<typeof ChannelSorting>;

/** Where the user's list shows a channel. */
export const Placement = Type.Object({
  favourite: Type.Boolean(),
  section: Nullable(Type.String({ minLength: 1, maxLength: SECTION_NAME_MAX })),
});
export type Placement = Static<typeof Placement>;

const sidebar = { sorting: ChannelSorting, channels: byChannel(Placement) };

/** How the user arranges their channels: those that are neither favourites nor in a section are left out. */
export const Sidebar = Type.Object(sidebar);
export type Sidebar = Static<typeof Sidebar>;

/** Response of GET /api/sidebar. */
export const SidebarResponse = response({
  ...sidebar,
  activity: Type.Array(Id, { description: "The caller's channels that have messages, the newest message first." }),
  mentions: byChannel(
    Type.Array(Type.Integer({ minimum: 1 }), {
      description: "The seqs of unread messages that mention the caller; of all channels at most the newest 1,000.",
    }),
  ),
});
export type SidebarResponse = Static<typeof SidebarResponse>;

/** PUT /api/sidebar. Changes only what it names. A blank section is none. */
export const UpdateSidebarBody = Type.Object({
  sorting: Type.Optional(ChannelSorting),
  channels: Type.Optional(
    byChannel(
      Type.Object({
        favourite: Type.Optional(Type.Boolean()),
        section: Type.Optional(Nullable(Type.String({ maxLength: SECTION_NAME_MAX }))),
      }),
      PREFERENCES_PER_REQUEST,
    ),
  ),
});
export type UpdateSidebarBody = Static<typeof UpdateSidebarBody>;

/** Response of PUT /api/sidebar, with the channels of the request. */
export const UpdateSidebarResponse = response(sidebar);
export type UpdateSidebarResponse = Static<typeof UpdateSidebarResponse>;
