import type {
  AdminChannel,
  AdminChannelsAnswer,
  AdminChannelsQuery,
  AdministerUserAnswer,
  AdministerUserBody,
  AdminUser,
  AuditAnswer,
  AuditQuery,
  AuditRecord,
  CloseReportAnswer,
  CloseReportBody,
  ListUsersAnswer,
  ListUsersQuery,
  ReportsAnswer,
  ReportsQuery,
  RestoreChannelAnswer,
} from "@parley/protocol/administration";
import type { PayoutRecord, PayoutsAnswer, PayoutsQuery, RetryPayoutAnswer } from "@parley/protocol/payouts";
import type { Report } from "@parley/protocol/reports";
import type { Http } from "../http.ts";
import { byId, byOffset, type PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

/** Calls for moderators, administrators and owners of the site (protocol §11). Every method throws `ParleyError`. */
export class Admin {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  users(query: ListUsersQuery = {}, options?: RequestOptions): PagePromise<ListUsersAnswer, AdminUser> {
    const list = { items: ({ users }: ListUsersAnswer) => users, next: byOffset };
    return this.#http.pages("/api/admin/users", query, list, options);
  }

  /** Suspends a user until a time (null lifts the suspension), or grants and revokes levels 1 and 2. */
  updateUser(username: string, body: AdministerUserBody, options?: RequestOptions): Promise<AdministerUserAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/admin/users/${encodeURIComponent(username)}`, body }, options);
  }

  /** Lists administrative acts, newest first. */
  audit(query: AuditQuery = {}, options?: RequestOptions): PagePromise<AuditAnswer, AuditRecord> {
    const list = { items: ({ entries }: AuditAnswer) => entries, next: byId };
    return this.#http.pages("/api/admin/audit", query, list, options);
  }

  reports(query: ReportsQuery = {}, options?: RequestOptions): PagePromise<ReportsAnswer, Report> {
    const list = { items: ({ reports }: ReportsAnswer) => reports, next: byId };
    return this.#http.pages("/api/admin/reports", query, list, options);
  }

  closeReport(reportId: number, body: CloseReportBody, options?: RequestOptions): Promise<CloseReportAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/admin/reports/${reportId}`, body }, options);
  }

  /** Lists channels of every kind; with `deleted: true` only those that can be restored. */
  channels(query: AdminChannelsQuery = {}, options?: RequestOptions): PagePromise<AdminChannelsAnswer, AdminChannel> {
    const list = { items: ({ channels }: AdminChannelsAnswer) => channels, next: byOffset };
    return this.#http.pages("/api/admin/channels", query, list, options);
  }

  /** Restores a deleted channel. Its slug may differ from before. */
  restoreChannel(channelId: number, options?: RequestOptions): Promise<RestoreChannelAnswer> {
    return this.#http.json({ method: "POST", path: `/api/admin/channels/${channelId}/restore` }, options);
  }

  /** Returns counters and durations in Prometheus' text format. */
  async metrics(options?: RequestOptions): Promise<string> {
    const { bytes } = await this.#http.bytes({ method: "GET", path: "/api/admin/metrics" }, options);
    return new TextDecoder().decode(bytes);
  }

  /** Lists transfers that the platform owes or has made on chains, newest first. */
  payouts(query: PayoutsQuery = {}, options?: RequestOptions): PagePromise<PayoutsAnswer, PayoutRecord> {
    const list = { items: ({ payouts }: PayoutsAnswer) => payouts, next: byId };
    return this.#http.pages("/api/admin/payouts", query, list, options);
  }

  /** Retries a failed payout. */
  retryPayout(payoutId: number, options?: RequestOptions): Promise<RetryPayoutAnswer> {
    return this.#http.json({ method: "POST", path: `/api/admin/payouts/${payoutId}/retry` }, options);
  }
}
