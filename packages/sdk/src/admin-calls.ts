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

/** What moderators, administrators and owners of the site do (protocol §11). Every method throws `ParleyError`. */
export class AdminCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  users(query: ListUsersQuery = {}): Promise<ListUsersAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/users", query });
  }

  /** Suspends a user until a time (null lifts it), or gives and takes levels 1 and 2. */
  updateUser(username: string, body: AdministerUserBody): Promise<AdministerUserAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/admin/users/${encodeURIComponent(username)}`, body });
  }

  /** Administrative acts, the newest first; `before` takes an answer's `next_before`. */
  audit(query: AuditQuery = {}): Promise<AuditAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/audit", query });
  }

  reports(query: ReportsQuery = {}): Promise<ReportsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/reports", query });
  }

  closeReport(reportId: number, body: CloseReportBody): Promise<CloseReportAnswer> {
    return this.#http.json({ method: "PUT", path: `/api/admin/reports/${reportId}`, body });
  }

  /** Channels of every kind; with `deleted: true` those that can be restored. */
  channels(query: AdminChannelsQuery = {}): Promise<AdminChannelsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/channels", query });
  }

  /** Its slug may be another one than before. */
  restoreChannel(channelId: number): Promise<RestoreChannelAnswer> {
    return this.#http.json({ method: "POST", path: `/api/admin/channels/${channelId}/restore` });
  }

  /** Counts and durations in Prometheus' text format. */
  async metrics(signal?: AbortSignal): Promise<string> {
    const { bytes } = await this.#http.bytes({ method: "GET", path: "/api/admin/metrics", signal });
    return new TextDecoder().decode(bytes);
  }

  /** Transfers that the platform owes or has made on chains, the newest first. */
  payouts(query: PayoutsQuery = {}): Promise<PayoutsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/admin/payouts", query });
  }

  /** Begins a payout anew that has failed. */
  retryPayout(payoutId: number): Promise<RetryPayoutAnswer> {
    return this.#http.json({ method: "POST", path: `/api/admin/payouts/${payoutId}/retry` });
  }
}
