import {
  NotificationsQuery,
  NotificationsResponse,
  ReadNotificationsBody,
  ReadNotificationsResponse,
} from "@parley/protocol/notifications";
import { ReadAllResponse } from "@parley/protocol/reading";
import { type Route, route } from "../http/route.ts";
import { markOwnNotifications, ownNotifications } from "./list/notifications.service.ts";
import { pushRoutes } from "./push/push.routes.ts";
import { readAll } from "./reading/read-all.ts";

const tag = "Notifications";

/** Routes for the user's list of notifications, and their browsers' push subscriptions (protocol §13.5). */
export const notificationRoutes: readonly Route[] = [
  route({
    name: "listNotifications",
    method: "GET",
    path: "/api/notifications",
    summary: "List what concerns the caller, newest first",
    tag,
    auth: "session",
    documentedActs: "own notifications",
    query: NotificationsQuery,
    answers: { 200: NotificationsResponse },
    errors: [],
    handle: ({ ctx, caller, query }) => ownNotifications(ctx, caller, query),
  }),
  route({
    name: "markNotificationsAsRead",
    method: "POST",
    path: "/api/notifications/read",
    summary: "Mark the caller's notifications as read, up to one of them or by their ids",
    tag,
    auth: "session",
    documentedActs: "own notifications",
    body: ReadNotificationsBody,
    answers: { 200: ReadNotificationsResponse },
    errors: [],
    handle: ({ ctx, caller, body }) => markOwnNotifications(ctx, caller, body),
  }),
  route({
    name: "markAllRead",
    method: "POST",
    path: "/api/read",
    summary: "Mark everything as read: the caller's channels, the threads they follow, and notifications of messages",
    tag,
    auth: "session",
    documentedActs: "own notifications",
    answers: { 200: ReadAllResponse },
    errors: [],
    handle: ({ ctx, caller }) => readAll(ctx, caller),
  }),
  ...pushRoutes,
];
