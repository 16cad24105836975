import type {
  AdminChannelsAnswer,
  AdminChannelsQuery,
  AdministerUserAnswer,
  AdministerUserBody,
  AuditAnswer,
  AuditQuery,
  CloseReportAnswer,
  CloseReportBody,
  ListUsersAnswer,
  ListUsersQuery,
  ReportsAnswer,
  ReportsQuery,
  RestoreChannelAnswer,
} from "@parley/protocol/administration";
import type { PayoutsAnswer, PayoutsQuery, RetryPayoutAnswer } from "@parley/protocol/payouts";
import type { Http } from "./http.ts";

/** Calls for moderators, administrators and owners of the site (protocol §11). Every method throws `ParleyError`. */
export class AdminCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  users(query: ListUsersQuery = {}): Promise<ListUsersAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/users", query });
  }

  /** Suspends a user until a time (null lifts the suspension), or grants and revokes levels 1 and 2. */
  updateUser(username: string, body: AdministerUserBody): Promise<AdministerUserAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/admin/users/${encodeURIComponent(username)}`, body });
  }

  /** Lists administrative acts, newest first; `before` takes the `next_before` of an answer. */
  audit(query: AuditQuery = {}): Promise<AuditAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/audit", query });
  }

  reports(query: ReportsQuery = {}): Promise<ReportsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/reports", query });
  }

  closeReport(reportId: number, body: CloseReportBody): Promise<CloseReportAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/admin/reports/${reportId}`, body });
  }

  /** Lists channels of every kind; with `deleted: true` only those that can be restored. */
  channels(query: AdminChannelsQuery = {}): Promise<AdminChannelsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/channels", query });
  }

  /** Restores a deleted channel. Its slug may differ from before. */
  restoreChannel(channelId: number): Promise<RestoreChannelAnswer> {
    return this.#http.json({ method: "POST", path: `/api/admin/channels/${channelId}/restore` });
  }

  /** Returns counters and durations in Prometheus' text format. */
  async metrics(signal?: AbortSignal): Promise<string> {
    const { bytes } = await this.#http.bytes({ method: "GET", path: "/api/admin/metrics", signal });
    return new TextDecoder().decode(bytes);
  }

  /** Lists transfers that the platform owes or has made on chains, newest first. */
  payouts(query: PayoutsQuery = {}): Promise<PayoutsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/payouts", query });
  }

  /** Retries a failed payout. */
  retryPayout(payoutId: number): Promise<RetryPayoutAnswer> {
    return this.#http.json({ method: "POST", path: `/api/admin/payouts/${payoutId}/retry` });
  }
}
