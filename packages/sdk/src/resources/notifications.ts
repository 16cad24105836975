import type {
  Notification,
  NotificationsQuery,
  NotificationsResponse,
  PushKeyResponse,
  PushSubscriptionsResponse,
  ReadNotificationsBody,
  ReadNotificationsResponse,
  SubscribePushBody,
  SubscribePushResponse,
  UnsubscribePushResponse,
} from "@parley/protocol/notifications";
import type { ReadAllResponse } from "@parley/protocol/reading";
import type { Http } from "../http.ts";
import { byId, type PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

const PAGES = { items: ({ notifications }: NotificationsResponse) => notifications, next: byId };
const SUBSCRIPTIONS = "/api/push/subscriptions";

/** What concerns the user, and push messages to their browsers (protocol §13.5). Every method throws `ParleyError`. */
export class Notifications {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns a page of the user's notifications, newest first. */
  list(query: NotificationsQuery = {}, options?: RequestOptions): PagePromise<NotificationsResponse, Notification> {
    return this.#http.pages("/api/notifications", query, PAGES, options);
  }

  /** Marks notifications as read: up to one of them, or by their ids. */
  markRead(body: ReadNotificationsBody, options?: RequestOptions): Promise<ReadNotificationsResponse> {
    return this.#http.json({ method: "POST", path: "/api/notifications/read", body, idempotent: true }, options);
  }

  /** Marks everything as read: the user's channels, the threads they follow, and notifications of messages. */
  markAllRead(options?: RequestOptions): Promise<ReadAllResponse> {
    return this.#http.json({ method: "POST", path: "/api/read", idempotent: true }, options);
  }

  /** Returns the key with which a browser subscribes (`applicationServerKey`). */
  pushKey(options?: RequestOptions): Promise<PushKeyResponse> {
    return this.#http.json({ method: "GET", path: "/api/push/key" }, options);
  }

  /** Lists the browsers that receive the user's push messages. */
  subscriptions(options?: RequestOptions): Promise<PushSubscriptionsResponse> {
    return this.#http.json({ method: "GET", path: SUBSCRIPTIONS }, options);
  }

  /** Subscribes the browser of this session: pass `PushSubscription.toJSON()`. */
  subscribe(body: SubscribePushBody, options?: RequestOptions): Promise<SubscribePushResponse> {
    return this.#http.json({ method: "POST", path: SUBSCRIPTIONS, body, idempotent: true }, options);
  }

  /** Ends a subscription. */
  unsubscribe(subscriptionId: number, options?: RequestOptions): Promise<UnsubscribePushResponse> {
    return this.#http.json({ method: "DELETE", path: `${SUBSCRIPTIONS}/${subscriptionId}`, idempotent: true }, options);
  }
}
