import type {
  NotificationSettingsResponse,
  SidebarResponse,
  UpdateNotificationSettingsBody,
  UpdateSidebarBody,
  UpdateSidebarResponse,
} from "@parley/protocol/preferences";
import type { Http } from "../http.ts";
import type { RequestOptions } from "../request-options.ts";

/** Notification settings, and the order of the list of channels (protocol §3). Every method throws `ParleyError`. */
export class Preferences {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Returns which messages notify the user: the default, and the channels that differ from it. */
  notifications(options?: RequestOptions): Promise<NotificationSettingsResponse> {
    return this.#http.json({ method: "GET", path: NOTIFICATIONS }, options);
  }

  /** Changes what the body names; returns the channels that it names. */
  updateNotifications(
    body: UpdateNotificationSettingsBody,
    options?: RequestOptions,
  ): Promise<NotificationSettingsResponse> {
    return this.#http.json({ method: "PUT", path: NOTIFICATIONS, body, idempotent: true }, options);
  }

  /** Returns favourites, sections and sorting, which channels were active last, and where the user is mentioned. */
  sidebar(options?: RequestOptions): Promise<SidebarResponse> {
    return this.#http.json({ method: "GET", path: SIDEBAR }, options);
  }

  /** Changes what the body names; returns the channels that it names. */
  updateSidebar(body: UpdateSidebarBody, options?: RequestOptions): Promise<UpdateSidebarResponse> {
    return this.#http.json({ method: "PUT", path: SIDEBAR, body, idempotent: true }, options);
  }
}

const NOTIFICATIONS = "/api/notifications/settings";
const SIDEBAR = "/api/sidebar";
