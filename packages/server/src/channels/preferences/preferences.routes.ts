import {
  NotificationSettingsResponse,
  SidebarResponse,
  UpdateNotificationSettingsBody,
  UpdateSidebarBody,
  UpdateSidebarResponse,
} from "@parley/protocol/preferences";
import { type Route, route } from "../../http/route.ts";
import { notificationSettings, sidebarOf, updateNotificationSettings, updateSidebar } from "./preferences.ts";

const tag = "Channels";

/** Routes for what calls a user, and how they arrange their channels (protocol §3). */
export const preferenceRoutes: readonly Route[] = [
  route({
    name: "getNotificationSettings",
    method: "GET",
    path: "/api/notifications/settings",
    summary: "Read which messages notify the caller",
    tag,
    auth: "session",
    documentedActs: "own channel preferences",
    answers: { 200: NotificationSettingsResponse },
    errors: [],
    handle: ({ ctx, caller }) => notificationSettings(ctx, caller),
  }),
  route({
    name: "updateNotificationSettings",
    method: "PUT",
    path: "/api/notifications/settings",
    summary: "Change which messages notify the caller, and mute channels",
    tag,
    auth: "session",
    documentedActs: "own channel preferences",
    body: UpdateNotificationSettingsBody,
    answers: { 200: NotificationSettingsResponse },
    errors: ["channel_not_found"],
    handle: ({ ctx, caller, body }) => updateNotificationSettings(ctx, caller, body),
  }),
  route({
    name: "getSidebar",
    method: "GET",
    path: "/api/sidebar",
    summary: "Read how the caller arranges their channels, which were active last, and where the caller is mentioned",
    tag,
    auth: "session",
    documentedActs: "own channel preferences",
    answers: { 200: SidebarResponse },
    errors: [],
    handle: ({ ctx, caller }) => sidebarOf(ctx, caller),
  }),
  route({
    name: "updateSidebar",
    method: "PUT",
    path: "/api/sidebar",
    summary: "Change favourites, sections and the sorting of the caller's channels",
    tag,
    auth: "session",
    documentedActs: "own channel preferences",
    body: UpdateSidebarBody,
    answers: { 200: UpdateSidebarResponse },
    errors: ["channel_not_found"],
    handle: ({ ctx, caller, body }) => updateSidebar(ctx, caller, body),
  }),
];
