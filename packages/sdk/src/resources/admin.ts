import type {
  AdminAgentsQuery,
  AdminChannel,
  AdminChannelsQuery,
  AdminChannelsResponse,
  AdministerUserBody,
  AdministerUserResponse,
  AdminUser,
  AuditQuery,
  AuditRecord,
  AuditResponse,
  CloseReportBody,
  CloseReportResponse,
  HoldChannelBody,
  HoldChannelResponse,
  ListUsersQuery,
  ListUsersResponse,
  ReportsQuery,
  ReportsResponse,
  ResetLinkBody,
  ResetLinkResponse,
  RestoreChannelResponse,
} from "@parley/protocol/administration";
import type { OwnedAgent, OwnedAgentsResponse } from "@parley/protocol/claims";
import type { ConfirmBody, RemoveFactorsResponse } from "@parley/protocol/factors";
import type { HealthResponse } from "@parley/protocol/health";
import type { Invitation, InvitationsQuery, InvitationsResponse } from "@parley/protocol/invitations";
import type { Report } from "@parley/protocol/moderation";
import type { PayoutRecord, PayoutsQuery, PayoutsResponse, RetryPayoutResponse } from "@parley/protocol/payouts";
import type { SetupResponse, SiteSettingsResponse, UpdateSiteBody, UpdateSiteResponse } from "@parley/protocol/site";
import type { Http } from "../http.ts";
import { byId, byOffset, type PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

/** Calls for moderators, administrators and owners of the site (protocol §11). Every method throws `ParleyError`. */
export class Admin {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  users(query: ListUsersQuery = {}, options?: RequestOptions): PagePromise<ListUsersResponse, AdminUser> {
    const list = { items: ({ users }: ListUsersResponse) => users, next: byOffset };
    return this.#http.pages("/api/admin/users", query, list, options);
  }

  /** Returns which first steps with the site are done. */
  setup(options?: RequestOptions): Promise<SetupResponse> {
    return this.#http.json({ method: "GET", path: "/api/admin/setup" }, options);
  }

  /** Lists the invitations of all users, newest first. */
  invitations(query: InvitationsQuery = {}, options?: RequestOptions): PagePromise<InvitationsResponse, Invitation> {
    const list = { items: ({ invitations }: InvitationsResponse) => invitations, next: byOffset };
    return this.#http.pages("/api/admin/invitations", query, list, options);
  }

  /** Returns the settings of the site, and which of them the environment sets. */
  site(options?: RequestOptions): Promise<SiteSettingsResponse> {
    return this.#http.json({ method: "GET", path: "/api/admin/site" }, options);
  }

  /**
   * Changes the site's name, its logo, or who may register. Errors: `setting_locked` if the environment sets it,
   * `site_changed` if the settings no longer have `version`.
   */
  updateSite(body: UpdateSiteBody, options?: RequestOptions): Promise<UpdateSiteResponse> {
    return this.#http.json({ method: "PUT", path: "/api/admin/site", body }, options);
  }

  /** Suspends a user until a time (null lifts the suspension), or grants and revokes levels 1 and 2. */
  updateUser(username: string, body: AdministerUserBody, options?: RequestOptions): Promise<AdministerUserResponse> {
    return this.#http.json({ method: "PUT", path: `/api/admin/users/${encodeURIComponent(username)}`, body }, options);
  }

  /**
   * Makes a link with which a user of a lower level chooses a new password; it ends their earlier link. The link is a
   * secret. Errors: `reauth_required` without `current_password` if the login is older than 10 minutes.
   */
  makeResetLink(username: string, body: ResetLinkBody = {}, options?: RequestOptions): Promise<ResetLinkResponse> {
    const path = `/api/admin/users/${encodeURIComponent(username)}/reset-link`;
    return this.#http.json({ method: "POST", path, body }, options);
  }

  /** Removes all second factors and passkeys of a user of a lower level, who has lost them. Audited. */
  removeSecondFactors(
    username: string,
    body: ConfirmBody = {},
    options?: RequestOptions,
  ): Promise<RemoveFactorsResponse> {
    const path = `/api/admin/users/${encodeURIComponent(username)}/second-factor`;
    return this.#http.json({ method: "DELETE", path, body, idempotent: true, noWait: true }, options);
  }

  /** Lists the agents of all users with their keys, newest first. */
  agents(query: AdminAgentsQuery = {}, options?: RequestOptions): PagePromise<OwnedAgentsResponse, OwnedAgent> {
    const list = { items: ({ agents }: OwnedAgentsResponse) => agents, next: byOffset };
    return this.#http.pages("/api/admin/agents", query, list, options);
  }

  /** Lists administrative acts, newest first. */
  audit(query: AuditQuery = {}, options?: RequestOptions): PagePromise<AuditResponse, AuditRecord> {
    const list = { items: ({ entries }: AuditResponse) => entries, next: byId };
    return this.#http.pages("/api/admin/audit", query, list, options);
  }

  reports(query: ReportsQuery = {}, options?: RequestOptions): PagePromise<ReportsResponse, Report> {
    const list = { items: ({ reports }: ReportsResponse) => reports, next: byId };
    return this.#http.pages("/api/admin/reports", query, list, options);
  }

  closeReport(reportId: number, body: CloseReportBody, options?: RequestOptions): Promise<CloseReportResponse> {
    return this.#http.json({ method: "PUT", path: `/api/admin/reports/${reportId}`, body }, options);
  }

  /** Lists channels of every kind; with `deleted: true` only those that can be restored. */
  channels(query: AdminChannelsQuery = {}, options?: RequestOptions): PagePromise<AdminChannelsResponse, AdminChannel> {
    const list = { items: ({ channels }: AdminChannelsResponse) => channels, next: byOffset };
    return this.#http.pages("/api/admin/channels", query, list, options);
  }

  /** Restores a deleted channel. Its slug may differ from before. */
  restoreChannel(channelId: number, options?: RequestOptions): Promise<RestoreChannelResponse> {
    return this.#http.json({ method: "POST", path: `/api/admin/channels/${channelId}/restore` }, options);
  }

  /** Holds a channel, so that nothing in it is deleted by age; `until: null` ends the hold (protocol §13.8). */
  holdChannel(channelId: number, body: HoldChannelBody, options?: RequestOptions): Promise<HoldChannelResponse> {
    return this.#http.json({ method: "PUT", path: `/api/admin/channels/${channelId}/hold`, body }, options);
  }

  /** Returns counters and durations in Prometheus' text format. */
  async metrics(options?: RequestOptions): Promise<string> {
    const { bytes } = await this.#http.bytes({ method: "GET", path: "/api/admin/metrics" }, options);
    return new TextDecoder().decode(bytes);
  }

  /** Returns the health of the server that answers over the last hour. */
  health(options?: RequestOptions): Promise<HealthResponse> {
    return this.#http.json({ method: "GET", path: "/api/admin/health" }, options);
  }

  /** Lists transfers that the platform owes or has made on chains, newest first. */
  payouts(query: PayoutsQuery = {}, options?: RequestOptions): PagePromise<PayoutsResponse, PayoutRecord> {
    const list = { items: ({ payouts }: PayoutsResponse) => payouts, next: byId };
    return this.#http.pages("/api/admin/payouts", query, list, options);
  }

  /** Retries a failed payout. */
  retryPayout(payoutId: number, options?: RequestOptions): Promise<RetryPayoutResponse> {
    return this.#http.json({ method: "POST", path: `/api/admin/payouts/${payoutId}/retry` }, options);
  }
}
