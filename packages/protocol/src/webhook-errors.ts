/** The errors of webhooks, a part of `ERRORS` (errors.ts, protocol §12.5). */
export const WEBHOOK_ERRORS = {
  webhook_not_found: [404, "This webhook does not exist."],
  webhook_limit_reached: [409, "There are as many webhooks as are allowed here. Delete one first."],
  webhook_disabled: [409, "This webhook is disabled. Set its status to active first."],
  unknown_event: [400, "A webhook cannot ask for this event. details lists the events that exist."],
  delivery_not_found: [404, "This delivery does not exist. Deliveries are kept for 7 days, dead ones for 30."],
  invalid_webhook_name: [400, "A webhook's name must have 1 to 50 visible characters, without line breaks."],
  hook_not_found: [404, "This webhook address does not exist."],
  hook_disabled: [403, "This incoming webhook is disabled."],
} as const;
