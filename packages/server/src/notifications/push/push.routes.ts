import {
  PushKeyResponse,
  PushSubscriptionParams,
  PushSubscriptionsResponse,
  SubscribePushBody,
  SubscribePushResponse,
  UnsubscribePushResponse,
} from "@parley/protocol/notifications";
import { repetition } from "@parley/protocol/values";
import { type Route, route } from "../../http/route.ts";
import {
  checkSubscription,
  ownSubscriptions,
  pushKey,
  subscribePush,
  unsubscribePush,
} from "./subscriptions.service.ts";

const tag = "Notifications";

export const pushRoutes: readonly Route[] = [
  route({
    name: "getPushKey",
    method: "GET",
    path: "/api/push/key",
    summary: "Read the server's public key for push subscriptions",
    tag,
    auth: "session",
    documentedActs: "own notifications",
    answers: { 200: PushKeyResponse },
    errors: ["push_disabled"],
    handle: async ({ ctx }) => ({ public_key: await pushKey(ctx) }),
  }),
  route({
    name: "listPushSubscriptions",
    method: "GET",
    path: "/api/push/subscriptions",
    summary: "List the browsers that receive the caller's push messages",
    tag,
    auth: "session",
    documentedActs: "own notifications",
    answers: { 200: PushSubscriptionsResponse },
    errors: [],
    handle: async ({ ctx, caller }) => ({ subscriptions: await ownSubscriptions(ctx, caller) }),
  }),
  route({
    name: "subscribeToPush",
    method: "POST",
    path: "/api/push/subscriptions",
    summary: "Send push messages to the browser of this session until the session ends",
    tag,
    auth: "session",
    documentedActs: "own notifications",
    body: SubscribePushBody,
    status: 201,
    answers: { 201: SubscribePushResponse, 200: repetition(SubscribePushResponse) },
    errors: ["push_disabled", "invalid_url", "overloaded"],
    rates: [{ policy: "pushSubscriptions", by: "identity" }],
    idempotent: true,
    confirm: ({ ctx, caller, body }) => checkSubscription(ctx, caller, body),
    handle: async ({ ctx, caller, body }) => ({ subscription: await subscribePush(ctx, caller, body) }),
  }),
  route({
    name: "unsubscribeFromPush",
    method: "DELETE",
    path: "/api/push/subscriptions/:subscription_id",
    summary: "Stop sending push messages to a browser of the caller",
    tag,
    auth: "session",
    documentedActs: "end push subscription",
    params: PushSubscriptionParams,
    answers: { 200: UnsubscribePushResponse },
    errors: ["invalid_id", "subscription_not_found"],
    handle: ({ ctx, caller, params }) => unsubscribePush(ctx, caller, params.subscription_id),
  }),
];
