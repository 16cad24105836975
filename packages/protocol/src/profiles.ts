import { type Static, Type } from "typebox";
import { AVATARS_ASKED_MAX } from "./limits.ts";
import { model, Nullable, response, Timestamp } from "./values.ts";

/** Characters of a display name, and of the text of a status. */
export const DISPLAY_NAME_MAX = 48;
export const STATUS_TEXT_MAX = 80;
/** Days after which a status ends at the latest, if it ends at all. */
export const STATUS_DAYS_MAX = 366;

/** A name of a person in their own script. It is no key: mentions, calls and records use the username (protocol §2). */
export const DisplayName = Nullable(
  Type.String({ description: "The user's name in their own script, shown beside the username; null: none." }),
);

/** A short text that a user shows beside their name (protocol §2). */
export const UserStatus = model("UserStatus", "What a user says about their day. One that has ended is null.", {
  emoji: Nullable(Type.String({ description: "One emoji." })),
  text: Type.String({ description: `Up to ${STATUS_TEXT_MAX} characters of one line.` }),
  expires_at: Nullable(Type.String({ ...Timestamp, description: "When it ends by itself; null: never." })),
});
export type UserStatus = Static<typeof UserStatus>;

/** The display name and the status of a profile, a part of `PublicUser`. */
export const shownFacts = { display_name: DisplayName, status: Nullable(UserStatus) };

/** A user's display name and status. */
export const ShownProfile = model("ShownProfile", "What is shown beside a username.", {
  username: Type.String(),
  ...shownFacts,
});
export type ShownProfile = Static<typeof ShownProfile>;

/** The fields of PUT /api/user/:username that change them; null clears one. */
export const shownSettings = {
  display_name: Type.Optional(
    Nullable(
      Type.String({
        // The rules count characters as they are stored.
        maxLength: 4 * DISPLAY_NAME_MAX,
        description: `1 to ${DISPLAY_NAME_MAX} characters of one writing system that look like nobody else's username.`,
      }),
    ),
  ),
  status: Type.Optional(
    Nullable(
      Type.Object({
        emoji: Type.Optional(Nullable(Type.String({ maxLength: 64, description: "One emoji." }))),
        text: Type.String({ maxLength: 4 * STATUS_TEXT_MAX, description: `1 to ${STATUS_TEXT_MAX} characters.` }),
        expires_at: Type.Optional(
          Nullable(
            Type.String({
              ...Timestamp,
              description: `When it ends by itself, within ${STATUS_DAYS_MAX} days; null or absent: never.`,
            }),
          ),
        ),
      }),
    ),
  ),
};

/** The names of several users. */
export const Usernames = Type.String({
  pattern: `^[^,]+(,[^,]+){0,${AVATARS_ASKED_MAX - 1}}$`,
  description: `Up to ${AVATARS_ASKED_MAX} usernames, separated by commas.`,
});

/** GET /api/profiles: what these users show beside their names. */
export const ProfilesQuery = Type.Object({ usernames: Usernames });
export type ProfilesQuery = Static<typeof ProfilesQuery>;

/** Response of GET /api/profiles. */
export const ProfilesResponse = response({
  profiles: Type.Array(ShownProfile, {
    description: "The users who have a display name or a status. All others and unknown names are left out.",
  }),
});
export type ProfilesResponse = Static<typeof ProfilesResponse>;

/** The event that reports a changed profile, a part of `EVENTS`. */
export const PROFILE_EVENTS = {
  "user:profile": {
    summary:
      "A user's display name or status was changed or removed. Sent to the user's channels and to all sockets of the user. Nothing reports that a status ended at its `expires_at`.",
    data: ShownProfile,
    durable: false,
  },
} as const;
