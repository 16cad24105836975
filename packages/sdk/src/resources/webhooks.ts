import type {
  CreateIncomingWebhookBody,
  CreateWebhookBody,
  CreateWebhookResponse,
  DeliveriesQuery,
  DeliveriesResponse,
  DeliveryResponse,
  IncomingWebhookResponse,
  IncomingWebhooksResponse,
  IncomingWebhookUrlResponse,
  RotateWebhookBody,
  UpdateIncomingWebhookBody,
  UpdateWebhookBody,
  WebhookResponse,
  WebhooksQuery,
  WebhooksResponse,
} from "@parley/protocol/webhooks";
import type { Http } from "../http.ts";
import type { RequestOptions } from "../request-options.ts";

const pathOf = (webhookId: number): string => `/api/webhooks/${webhookId}`;

/**
 * The addresses that the server calls for events of a channel or an agent (protocol §12.5). `verifyWebhook` checks what
 * arrives there. Every method throws `ParleyError`.
 */
export class Webhooks {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Creates a webhook. Its secret is only in this answer. */
  create(body: CreateWebhookBody, options?: RequestOptions): Promise<CreateWebhookResponse> {
    return this.#http.json({ method: "POST", path: "/api/webhooks", body }, options);
  }

  /** Lists the webhooks of a channel or an agent; an agent's own without a query. */
  list(query: WebhooksQuery = {}, options?: RequestOptions): Promise<WebhooksResponse> {
    return this.#http.json({ method: "GET", path: "/api/webhooks", query }, options);
  }

  get(webhookId: number, options?: RequestOptions): Promise<WebhookResponse> {
    return this.#http.json({ method: "GET", path: pathOf(webhookId) }, options);
  }

  update(webhookId: number, body: UpdateWebhookBody, options?: RequestOptions): Promise<WebhookResponse> {
    return this.#http.json({ method: "PUT", path: pathOf(webhookId), body }, options);
  }

  delete(webhookId: number, options?: RequestOptions): Promise<{ message: string }> {
    return this.#http.json({ method: "DELETE", path: pathOf(webhookId) }, options);
  }

  /** Replaces the secret; the old one signs, too, for `grace_seconds`. */
  rotateSecret(
    webhookId: number,
    body: RotateWebhookBody = {},
    options?: RequestOptions,
  ): Promise<CreateWebhookResponse> {
    return this.#http.json({ method: "POST", path: `${pathOf(webhookId)}/rotate-secret`, body }, options);
  }

  /** Sends a test event. */
  test(webhookId: number, options?: RequestOptions): Promise<DeliveryResponse> {
    return this.#http.json({ method: "POST", path: `${pathOf(webhookId)}/test` }, options);
  }

  /** Lists what was sent and what was answered, newest first. */
  deliveries(webhookId: number, query: DeliveriesQuery = {}, options?: RequestOptions): Promise<DeliveriesResponse> {
    return this.#http.json({ method: "GET", path: `${pathOf(webhookId)}/deliveries`, query }, options);
  }

  /** Sends an event again, under the same id. */
  redeliver(webhookId: number, deliveryId: number, options?: RequestOptions): Promise<DeliveryResponse> {
    const path = `${pathOf(webhookId)}/deliveries/${deliveryId}/redeliver`;
    return this.#http.json({ method: "POST", path, idempotent: true }, options);
  }

  /** Delivers a channel's events after a seq again. */
  replay(webhookId: number, afterSeq: number, options?: RequestOptions): Promise<WebhookResponse> {
    return this.#http.json(
      { method: "POST", path: `${pathOf(webhookId)}/replay`, body: { after_seq: afterSeq } },
      options,
    );
  }
}

const listOf = (channelId: number): string => `/api/channels/${channelId}/incoming-webhooks`;

/** The addresses by which others post into a channel (protocol §12.5). Every method throws `ParleyError`. */
export class IncomingWebhooks {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  list(channelId: number, options?: RequestOptions): Promise<IncomingWebhooksResponse> {
    return this.#http.json({ method: "GET", path: listOf(channelId) }, options);
  }

  /** Creates an address. It is only in this answer. */
  create(
    channelId: number,
    body: CreateIncomingWebhookBody,
    options?: RequestOptions,
  ): Promise<IncomingWebhookUrlResponse> {
    return this.#http.json({ method: "POST", path: listOf(channelId), body }, options);
  }

  update(
    channelId: number,
    id: number,
    body: UpdateIncomingWebhookBody,
    options?: RequestOptions,
  ): Promise<IncomingWebhookResponse> {
    return this.#http.json({ method: "PUT", path: `${listOf(channelId)}/${id}`, body }, options);
  }

  delete(channelId: number, id: number, options?: RequestOptions): Promise<{ message: string }> {
    return this.#http.json({ method: "DELETE", path: `${listOf(channelId)}/${id}` }, options);
  }

  /** Returns a new address; the old one ends at once. */
  rotate(channelId: number, id: number, options?: RequestOptions): Promise<IncomingWebhookUrlResponse> {
    return this.#http.json({ method: "POST", path: `${listOf(channelId)}/${id}/rotate` }, options);
  }
}
