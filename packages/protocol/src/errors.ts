import { FACTOR_ERRORS } from "./factor-errors.ts";
import { FEATURE_ERRORS } from "./feature-errors.ts";
import { LOGIN_ERRORS } from "./login-errors.ts";
import type { PaymentDemand } from "./payments.ts";
import { PROFILE_ERRORS } from "./profile-errors.ts";
import { SETUP_ERRORS } from "./setup-errors.ts";
import { SITE_ERRORS } from "./site-errors.ts";
import { STREAM_ERRORS } from "./stream-errors.ts";
import { WEBHOOK_ERRORS } from "./webhook-errors.ts";

/**
 * Every error code of the protocol, with its HTTP status and a text for people. Clients branch on the code, never on
 * the text (protocol §0).
 */
export const ERRORS = {
  // Generic (section 0)
  invalid_json: [400, "The body is not valid JSON."],
  invalid_request: [400, "The request is invalid. details lists each field and its problem."],
  invalid_id: [400, "The path does not contain a valid id. details says what an id looks like."],
  invalid_limit: [400, "limit must be an integer of at least 1."],
  invalid_cursor: [400, "The cursor does not belong to this list."],
  field_not_writable: [400, "The body contains a field that cannot be changed."],
  no_fields: [400, "Send at least one field to change."],
  idempotency_key_invalid: [400, "Idempotency-Key must have 8 to 255 visible ASCII characters."],
  idempotency_conflict: [409, "This idempotency key was already used with a different body."],
  session_required: [401, "Log in first: POST /api/auth/login, or auth:login on the socket."],
  forbidden: [403, "You don't have permission to do this."],
  cross_site: [403, "Requests from this origin are not allowed."],
  not_found: [404, "This route does not exist."],
  method_not_allowed: [405, "This route does not support that method. See the Allow header."],
  unsupported_media_type: [415, "Send the body as application/json."],
  body_too_large: [413, "The body is too large."],
  rate_limited: [429, "Too many requests. Wait, then try again."],
  too_many_sockets: [429, "Too many sockets are open. Close one first."],
  too_many_channels: [429, "This socket has joined too many channels. Leave one first."],
  unknown_command: [404, "This command does not exist."],
  internal_error: [500, "The server had an unexpected error."],
  overloaded: [503, "The server is busy. Try again shortly."],
  storage_full: [503, "The server's disk is full, so it cannot store anything. Try again later."],
  storage_unavailable: [503, "The database does not respond. Try again shortly."],
  draining: [503, "The server is shutting down. Connect again."],
  not_ready: [503, "The server is not ready yet. Try again shortly."],

  // Accounts and sessions (sections 1, 2)
  invalid_username: [
    400,
    "A username must have 2 to 32 characters of A-Z a-z 0-9 _ . - and start with a letter or digit. It must not be a reserved name or look like one.",
  ],
  weak_password: [400, "The password is too short, too long or too common."],
  invalid_email: [400, "The email address is invalid."],
  invalid_invite_code: [400, "This invite code does not exist."],
  invite_code_required: [400, "Registering here requires an invite code. Ask a member for one."],
  registration_closed: [403, "Registration is closed on this server. Ask its administrators for an account."],
  username_taken: [409, "This name is taken or too similar to one that is. Choose another."],
  invalid_credentials: [401, "The username or password is wrong."],
  account_suspended: [403, "This account is suspended."],
  user_not_found: [404, "This user does not exist."],
  claims_closed: [
    403,
    "Claiming API keys with posts is switched off on this server. Ask its administrators for a key.",
  ],
  session_not_found: [404, "This session does not exist."],
  ...LOGIN_ERRORS,
  ...FACTOR_ERRORS,
  // Distinct from other refusals, so that clients stop retrying; the missing conversation would reveal as much.
  blocked: [403, "This user does not accept messages or invitations from you."],
  user_blocked: [409, "You have blocked this user. Unblock them first."],
  direct_not_allowed: [403, "This agent does not talk with you in direct messages. Mention it in a channel instead."],
  block_limit_reached: [409, "You have reached the limit of blocked users. Unblock one first."],
  invalid_signature: [400, "The signature is malformed."],
  challenge_not_found: [404, "This challenge does not exist. Fetch a new one."],
  challenge_used: [409, "This challenge has been used. Fetch a new one."],
  challenge_expired: [410, "This challenge has expired. Fetch a new one."],
  wrong_signature: [422, "The signature is from a different wallet or for a different text."],
  reauth_required: [403, "Send current_password to confirm this change."],
  ...PROFILE_ERRORS,
  insufficient_balance: [409, "Your balance is too low."],
  points_on_hold: [
    409,
    "A new account cannot spend its initial points in its first 24 hours. details.available says how many points it can spend now.",
  ],
  owns_channels: [409, "This account owns the channels in details. Transfer or delete them first."],
  last_owner: [409, "This account is the site's only owner. Make another owner first."],

  // Channels (section 3)
  channel_not_found: [404, "This channel doesn't exist, or you don't have access."],
  channel_id_required: [400, "Send channel_id or channel_slug."],
  invalid_channel_name: [400, "A channel name must have 1 to 64 visible characters in one script. See details."],
  invalid_channel_slug: [
    400,
    "A slug must have 1 to 64 characters of a-z 0-9 - and start and end with a letter or digit.",
  ],
  slug_taken: [409, "This slug is taken. Choose another."],
  password_requires_private: [400, "Only a private channel can have a password."],
  channel_limit_reached: [409, "You own the maximum number of channels."],
  open_red_packets: [409, "This channel has open red packets. Wait until they are closed."],
  password_required: [403, "This channel has a password. Join it with the password first."],
  wrong_password: [403, "The channel password is wrong."],
  banned: [403, "You are banned from this channel."],
  member_not_found: [404, "This user or agent is not a member of the channel."],
  user_suspended: [409, "This user's account is suspended."],
  member_banned: [409, "This user or agent is banned from the channel. Lift the ban first."],
  ban_not_found: [404, "No one with this name is banned from the channel."],
  channel_not_deleted: [409, "This channel is not deleted."],
  restore_expired: [410, "This channel was deleted more than 7 days ago and cannot be restored."],
  owner_cannot_leave: [409, "The owner cannot leave. Transfer or delete the channel first."],

  // Messages (section 4)
  message_not_found: [404, "This message does not exist."],
  message_deleted: [409, "The message is deleted."],
  not_a_thread_root: [400, "This message is a reply in a thread. Name the message that began the thread."],
  thread_locked: [403, "This thread is locked. Only the channel's admins can reply."],
  pin_limit_reached: [409, "This channel has the maximum number of pinned messages. Unpin one first."],
  invalid_reaction: [400, "A reaction must be one emoji or a short name of a-z 0-9 _ + -."],
  reaction_limit_reached: [409, "This message has the maximum number of different reactions."],
  report_not_found: [404, "This report does not exist."],
  report_closed: [409, "This report is already closed."],
  content_required: [400, "A message needs content."],
  message_too_long: [400, "A message may have at most 4,000 characters."],
  not_a_member: [403, "Join the channel first."],
  muted: [403, "You are muted in this channel."],
  post_policy: [403, "Only the channel's admins can post here."],
  sticker_not_found: [404, "This sticker does not exist."],
  username_required: [400, "Send username."],
  file_required: [400, "Send the file as the part file of multipart/form-data."],
  file_too_large: [413, "The file is too large. details.limit_bytes is the limit."],
  not_a_gif: [415, "The file is not a valid GIF."],
  gif_limits: [
    422,
    "A sticker may have at most 512 x 512 pixels, 120 frames, and 16 million pixels in all frames together.",
  ],
  sticker_limit_reached: [409, "You have the maximum number of stickers. Delete one first."],
  file_not_found: [404, "This file does not exist."],
  upload_too_slow: [408, "The upload was too slow, and others waited. Try again in a better network."],
  empty_file: [400, "The file is empty."],
  type_not_allowed: [415, "This server does not accept files of this type. details.allowed lists what it accepts."],
  image_limits: [422, "The picture has too many pixels or frames. A picture may have at most 64 million pixels."],
  file_blocked: [422, "The virus scanner found something in this file, so it can be neither sent nor read."],
  quota_reached: [409, "Your files take all the space that you have. Delete messages with files first."],
  file_already_sent: [409, "This file was already sent. Upload it again."],
  file_not_ready: [409, "This file is still being scanned. Try again shortly."],
  slow_mode: [429, "This channel is in slow mode. Wait before your next message."],

  // Search
  query_required: [400, "Send the search words in q."],
  invalid_query: [400, "A search must have 1 to 200 characters and at least one letter, digit or emoji."],

  // Agents (section 5)
  missing_api_key: [401, "Send the API key: Authorization: Bearer <key>."],
  invalid_api_key: [401, "The API key is invalid."],
  key_revoked: [401, "The API key is revoked."],
  key_expired: [401, "The API key has expired. Ask the agent's owner for a new one."],
  insufficient_scope: [403, "This API key may not do this. See details for the scope that it lacks."],
  channel_not_in_scope: [403, "This API key is limited to other channels."],
  budget_exhausted: [403, "This agent has used up a budget. `details` names it, and when it resets."],
  agent_paused: [403, "This agent is paused."],
  inbox_taken: [409, "A newer program reads this inbox."],
  agents_not_allowed: [403, "This channel does not allow agents to do this."],
  agent_not_found: [404, "This agent does not exist."],
  invalid_agent_name: [
    400,
    "An agent name must have 1 to 32 letters of one script, digits, spaces, _ - or . and start and end with a letter or digit. See details.",
  ],
  agent_name_taken: [409, "A user or another agent has this name, or one that looks like it. Choose another."],
  channel_slug_required: [400, "channel_slug is required."],
  agent_name_required: [400, "agent_name is required."],
  message_required: [400, "message is required."],
  context_stale: [409, "Others have written since expected_last_seq. Read details.messages first."],
  ...FEATURE_ERRORS,
  ...STREAM_ERRORS,
  loop_guard_tripped: [429, "Agents have sent too many messages in a row here. A person must write next."],

  // Social lookups (section 5)
  invalid_tweet_url: [400, "This is not the URL of a post on a supported network."],
  post_not_found: [404, "This post does not exist or is not public."],
  social_lookup_failed: [502, "The social network did not return the post. Try again shortly."],
  social_lookup_not_configured: [503, "This server does not look up posts on that network."],

  // Key claims (section 5)
  x_username_required: [400, "Send the header X-Username."],
  invalid_verification_code: [400, "A verification code has the form XXXX-XXXX."],
  username_mismatch: [400, "X-Username, username and the session must name the same user."],
  agent_id_required: [400, "Send agent_id."],
  code_not_yours: [403, "This code was issued to someone else. Fetch your own."],
  verification_code_not_found: [404, "This verification code does not exist."],
  social_account_not_claimed: [404, "This account has not claimed a key. Use verify-tweet instead."],
  key_not_found: [404, "This key does not exist."],
  verification_code_used: [409, "This code has been used. Fetch a new one."],
  social_account_already_claimed: [
    409,
    "This account has already claimed a key for the agent in details. Use recover to replace a lost key.",
  ],
  verification_code_expired: [410, "This code has expired. Fetch a new one."],
  code_not_in_post: [422, "The post does not contain the code."],
  phrase_not_in_post: [422, "The post does not contain the whole sentence in details."],
  code_not_for_this: [422, "This code was issued for another purpose or agent. Fetch one for this purpose."],
  post_too_old: [422, "The post is older than the code. Post again."],
  post_is_repost: [422, "The post is a repost. Write a post of your own."],
  post_is_reply: [422, "The post is a reply or a quote. Publish the code in a separate post."],
  too_many_tries: [429, "This code has been tried too many times. Fetch a new one."],
  code_pool_empty: [503, "No verification code is available right now. Try again shortly."],

  ...SETUP_ERRORS,
  ...SITE_ERRORS,

  // Red packets (section 6)
  invalid_amount: [400, "An amount is a string of digits in the smallest unit, with at least one unit for each share."],
  invalid_count: [400, "A red packet must have 1 to 200 shares."],
  invalid_tx_hash: [400, "This is not a transaction hash of that chain."],
  unsupported_chain: [400, "This server does not offer red packets in that currency on that chain."],
  share_too_small: [400, "The shares are too small to cover the cost of paying them out on that chain."],
  not_eligible: [403, "You cannot claim a share of this red packet."],
  packet_not_found: [404, "This red packet does not exist."],
  packet_empty: [409, "All shares of this red packet have been claimed."],
  packet_not_active: [409, "The red packet's status does not allow this."],
  packet_claimed: [409, "A share of this red packet has already been claimed."],
  tx_already_used: [409, "This transaction has already paid for something else."],
  packet_expired: [410, "This red packet has expired."],
  funding_mismatch: [422, "This transaction does not fund the red packet. details says why."],
  wallet_address_required: [422, "Verify a wallet address on that chain first. details says how."],

  // Payouts (section 6)
  payouts_unavailable: [503, "The server cannot pay out on that chain right now. Try again later."],
  payout_not_found: [404, "This payout does not exist."],
  payout_not_failed: [409, "Only a failed payout can be retried."],

  // Payments (section 7)
  invalid_price: [400, "This server does not take payments in that currency on that chain."],
  invalid_payment_signature: [400, "PAYMENT-SIGNATURE is not a proof of payment for this resource. error says why."],
  payment_required: [402, "Payment is required. The header PAYMENT-REQUIRED says how much and to whom."],
  tx_not_found: [402, "No such transaction was found on the chain after the payment was requested."],
  tx_failed: [402, "The transaction failed, so nothing was paid."],
  wrong_recipient: [402, "The transaction does not pay this recipient."],
  wrong_currency: [402, "The transaction pays in a different currency."],
  amount_too_low: [402, "The transaction pays less than the price."],
  payment_pending: [402, "The transaction is not final yet. Send the same proof again later, and do not pay again."],
  payment_already_used: [409, "This transaction has already paid for something else, or it belongs to another payer."],
  resource_not_found: [404, "This resource does not exist."],
  resource_exists: [409, "A resource with this name exists. Remove it first."],
  invalid_resource: [400, "A resource must have exactly one of text, json and base64."],
  payments_not_configured: [503, "This server cannot take payments: it has no recipient for that chain."],

  // Chains (sections 6, 7)
  chain_unavailable: [502, "The chain's servers do not give a reliable answer right now. Try again shortly."],

  // Cards (section 12.6)
  invalid_components: [400, "The card is not valid. details names the field and its problem."],
  nobody_may_answer: [400, "Nobody could answer this card. Name users, admins or the agent's verified owner in `who`."],
  unknown_action: [400, "The card has no such action, or the action no such value."],
  not_allowed_to_answer: [403, "This card asks other people."],
  interaction_not_found: [404, "This interaction does not exist."],
  card_limit_reached: [409, "The agent asks too many questions at once. Cancel one, or wait until one is answered."],
  interaction_closed: [409, "This interaction is closed. details has its record."],
  message_has_interaction: [409, "A message that asks people cannot be edited. Delete it and send another."],
  interaction_expired: [410, "The time to answer is over."],

  // Notifications, and requests to addresses that users name (section 13)
  invalid_url: [400, "The server may not send requests to this URL. details says why."],
  push_disabled: [404, "This server does not send push messages."],
  subscription_not_found: [404, "This push subscription does not exist."],

  ...WEBHOOK_ERRORS,
} as const satisfies Record<string, readonly [status: number, text: string]>;

/** A stable error code of the wire. */
export type ErrorCode = keyof typeof ERRORS;

/** Statuses of temporary errors: rate limits, an upstream that failed, a server that is not ready, full or draining. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([429, 502, 503]);

/** Codes that differ from the others of their status. */
const RETRYABLE: Partial<Record<ErrorCode, boolean>> = {
  // A retry does not help: a person has to write first.
  loop_guard_tripped: false,
  // The same proof succeeds once the transaction is final.
  payment_pending: true,
};

/** Returns whether the same request can succeed later unchanged (protocol §0). */
export const isRetryable = (code: ErrorCode): boolean => RETRYABLE[code] ?? PASSING_STATUSES.has(ERRORS[code][0]);

/** The body of every response that is not a success (protocol §0). */
export interface ErrorBody {
  success: false;
  error: string;
  code: ErrorCode;
  /** True if the same request can succeed later; `retry_after` says when. */
  retryable: boolean;
  request_id?: string;
  details?: unknown;
  /** Whole seconds until a retry can succeed. */
  retry_after?: number;
  /** For a 402: what has to be paid (protocol §7). */
  payment?: PaymentDemand;
}
