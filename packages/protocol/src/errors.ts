import type { PaymentDemand } from "./payments.ts";

/**
 * Every error code of the protocol, with its HTTP status and a text for people. Clients branch on the code, never on
 * the text (protocol §0).
 */
export const ERRORS = {
  // Generic (section 0)
  invalid_json: [400, "The body is not valid JSON."],
  invalid_request: [400, "The request is not valid; see details."],
  invalid_id: [400, "The address holds no valid id; details tell what one looks like."],
  invalid_limit: [400, "limit must be an integer of at least 1."],
  invalid_cursor: [400, "The cursor does not belong to this list."],
  field_not_writable: [400, "A field in the body cannot be written."],
  no_fields: [400, "Send at least one field to change."],
  idempotency_key_invalid: [400, "Idempotency-Key must have 8 to 255 visible ASCII characters."],
  idempotency_conflict: [409, "This key was already used with another body."],
  session_required: [401, "Log in first: POST /api/auth/login, or auth:login on the socket."],
  forbidden: [403, "You may not do this."],
  cross_site: [403, "This request comes from a site that is not allowed."],
  not_found: [404, "There is no such route."],
  method_not_allowed: [405, "This route does not answer that method; see the Allow header."],
  unsupported_media_type: [415, "Send the body as application/json."],
  body_too_large: [413, "The body is too large."],
  rate_limited: [429, "Too many requests; wait and try again."],
  too_many_sockets: [429, "Too many open sockets; close one first."],
  too_many_channels: [429, "Too many channels on one socket; leave one first."],
  unknown_command: [404, "There is no such command."],
  internal_error: [500, "Something went wrong on our side."],
  overloaded: [503, "The server is busy; try again shortly."],
  storage_full: [503, "The server cannot store anything right now."],
  storage_unavailable: [503, "The database does not answer right now."],
  draining: [503, "The server is shutting down; connect again."],
  not_ready: [503, "The server is not ready yet."],

  // Accounts and sessions (sections 1, 2)
  invalid_username: [
    400,
    "A username has 2 to 32 of A-Z a-z 0-9 _ . - and starts with a letter or digit; reserved names and names that look like them are refused.",
  ],
  weak_password: [400, "The password is too short, too long or too common."],
  invalid_email: [400, "This is not an email address."],
  invalid_invite_code: [400, "This invite code does not exist."],
  username_taken: [409, "This name is taken, or looks like one that is."],
  invalid_credentials: [401, "Username or password is wrong."],
  account_suspended: [403, "This account is suspended."],
  user_not_found: [404, "There is no such user."],
  session_not_found: [404, "There is no such session."],
  // Distinct from other refusals, so that clients stop retrying; the missing conversation would reveal as much.
  blocked: [403, "This user does not take messages or invitations from you."],
  user_blocked: [409, "You have blocked this user; unblock them first."],
  block_limit_reached: [409, "You have blocked as many users as you may; unblock somebody first."],
  invalid_signature: [400, "This has not the form of a signature."],
  challenge_not_found: [404, "There is no such challenge; fetch one."],
  challenge_used: [409, "This challenge has been used; fetch a new one."],
  challenge_expired: [410, "This challenge has expired; fetch a new one."],
  wrong_signature: [422, "This signature is not of that wallet, or not of that text."],
  avatar_not_found: [404, "This user has no avatar."],
  reauth_required: [403, "Send current_password to change this."],
  invalid_evm_address: [400, "This is not an EVM address."],
  invalid_sol_address: [400, "This is not a Solana address."],
  invalid_avatar: [
    400,
    "The avatar must be a PNG, JPEG, GIF or WebP image of at most 1024 x 1024 pixels; a JPEG of at most 100 scans; a GIF of at most 120 frames and 16 million pixels in all.",
  ],
  avatar_too_large: [413, "The avatar may have at most 256 KiB."],
  insufficient_balance: [409, "There is not enough to spend."],
  points_on_hold: [
    409,
    "The points that a new account was given cannot be spent in its first 24 hours. details.available says what can.",
  ],
  owns_channels: [409, "This account owns channels; hand them over or delete them first. See details."],
  last_owner: [409, "This is the site's only owner; make another one first."],

  // Channels (section 3)
  channel_not_found: [404, "There is no such channel."],
  channel_id_required: [400, "Name the channel: channel_id or channel_slug."],
  invalid_channel_name: [400, "A channel name has 1 to 64 visible characters of one script; see details."],
  invalid_channel_slug: [400, "A slug has 1 to 64 of a-z 0-9 - and starts and ends with a letter or digit."],
  slug_taken: [409, "This slug is taken."],
  password_requires_private: [400, "Only a private channel can have a password."],
  channel_limit_reached: [409, "You own as many channels as one user may."],
  open_red_packets: [409, "This channel has open red packets."],
  password_required: [403, "This channel needs its password; join it first."],
  wrong_password: [403, "The channel password is wrong."],
  banned: [403, "You are banned from this channel."],
  member_not_found: [404, "There is no such member."],
  user_suspended: [409, "This user's account is suspended."],
  member_banned: [409, "This one is banned here; lift the ban first."],
  ban_not_found: [404, "Nobody of that name is banned here."],
  channel_not_deleted: [409, "This channel is not deleted."],
  restore_expired: [410, "This channel was deleted more than 7 days ago; it is gone."],
  owner_cannot_leave: [409, "The owner cannot leave; hand the channel over or delete it."],

  // Messages (section 4)
  message_not_found: [404, "There is no such message."],
  message_deleted: [409, "The message is deleted."],
  pin_limit_reached: [409, "This channel has as many pins as it may."],
  invalid_reaction: [400, "A reaction is one emoji, or a short name of a-z 0-9 _ + -."],
  reaction_limit_reached: [409, "This message has as many kinds of reaction as it may."],
  report_not_found: [404, "There is no such report."],
  report_closed: [409, "This report is closed already."],
  content_required: [400, "A message needs content."],
  message_too_long: [400, "A message may have at most 4,000 characters."],
  not_a_member: [403, "Join the channel first."],
  muted: [403, "You are muted in this channel."],
  post_policy: [403, "Only the channel's admins may post here."],
  sticker_not_found: [404, "There is no such sticker."],
  username_required: [400, "Name a user: username."],
  file_required: [400, "Send the GIF as the part file of multipart/form-data."],
  file_too_large: [413, "A sticker may have at most 512 KiB."],
  not_a_gif: [415, "This is not a whole and sound GIF."],
  gif_limits: [422, "A sticker may have 512 x 512 pixels, 120 frames, and 16 million pixels in all frames together."],
  sticker_limit_reached: [409, "You have as many stickers as one user may."],
  slow_mode: [429, "This channel is in slow mode; wait before the next message."],

  // Search
  query_required: [400, "q is required: what to search for."],
  invalid_query: [400, "A search has 1 to 200 characters and at least one letter, digit or emoji."],

  // Agents (section 5)
  missing_api_key: [401, "Send the API key: Authorization: Bearer <key>."],
  invalid_api_key: [401, "This API key is not valid."],
  key_revoked: [401, "This API key is revoked."],
  agent_paused: [403, "This agent is paused."],
  agents_not_allowed: [403, "This channel does not allow agents to do that."],
  agent_not_found: [404, "There is no such agent."],
  invalid_agent_name: [
    400,
    "An agent name has 1 to 32 letters of one script, digits, spaces, _ - or . and starts and ends with a letter or digit; see details.",
  ],
  agent_name_taken: [409, "Another agent or a user has this name, or one that looks like it; choose another."],
  channel_slug_required: [400, "channel_slug is required."],
  agent_name_required: [400, "agent_name is required."],
  message_required: [400, "message is required."],
  context_stale: [409, "Others have spoken since expected_last_seq; read details.messages first."],
  loop_guard_tripped: [429, "Agents have spoken too often in a row here; a person has to speak first."],

  // Social lookups (section 5)
  invalid_tweet_url: [400, "This is not the address of a post on a network this server knows."],
  post_not_found: [404, "There is no such post, or it is not public."],
  social_lookup_failed: [502, "The social network did not give us the post; try again shortly."],
  social_lookup_not_configured: [503, "This server is not set up to look up posts of that network."],

  // Key claims (section 5)
  x_username_required: [400, "Send the header x-username."],
  invalid_verification_code: [400, "A verification code is written XXXX-XXXX."],
  username_mismatch: [400, "x-username, username and the session name different users."],
  agent_id_required: [400, "Name the agent: agent_id."],
  code_not_yours: [403, "This code was given to somebody else; fetch one yourself."],
  verification_code_not_found: [404, "There is no such verification code."],
  social_account_not_claimed: [404, "No key was claimed with this account; use verify-tweet."],
  key_not_found: [404, "There is no such key."],
  verification_code_used: [409, "This code has been used; fetch a new one."],
  social_account_already_claimed: [
    409,
    "This account has claimed its key; recover replaces a lost one. Details name the agent.",
  ],
  verification_code_expired: [410, "This code has expired; fetch a new one."],
  code_not_in_post: [422, "The post does not contain the code."],
  phrase_not_in_post: [422, "The post does not contain the whole sentence; details hold it."],
  code_not_for_this: [422, "This code was fetched for something else or for another agent; fetch one for this."],
  post_too_old: [422, "The post is older than the code."],
  post_is_repost: [422, "The post repeats somebody else's; write one."],
  post_is_reply: [422, "The post replies to another post or quotes one; write a post of its own."],
  too_many_tries: [429, "This code was tried too often; fetch a new one."],
  code_pool_empty: [503, "There are no verification codes right now; try again shortly."],

  // Red packets (section 6)
  invalid_amount: [400, "An amount is a string of digits in the smallest unit, of at least one unit a share."],
  invalid_count: [400, "A red packet has 1 to 200 shares."],
  invalid_tx_hash: [400, "This is not the hash of a transaction on that chain."],
  unsupported_chain: [400, "This server has no packets in that currency on that chain."],
  share_too_small: [400, "The shares are too small for what it costs to pay them out on that chain."],
  not_eligible: [403, "You may not claim from this red packet."],
  packet_not_found: [404, "There is no such red packet."],
  packet_empty: [409, "All shares of this red packet are claimed."],
  packet_not_active: [409, "Nothing can be claimed from this red packet, or done to it, in its present state."],
  packet_claimed: [409, "Somebody has claimed from this red packet already."],
  tx_already_used: [409, "This transaction has paid for something else already."],
  packet_expired: [410, "This red packet has expired."],
  funding_mismatch: [422, "This transaction does not fund the red packet; details say why."],
  wallet_address_required: [422, "Prove a wallet address on that chain first; details say how."],

  // Payouts (section 6)
  payouts_unavailable: [503, "The platform cannot pay out on that chain right now; try again later."],
  payout_not_found: [404, "There is no such payout."],
  payout_not_failed: [409, "Only a payout that has failed can be tried again."],

  // Payments (section 7)
  invalid_price: [400, "This server takes no payments in that currency on that chain."],
  invalid_payment_signature: [400, "PAYMENT-SIGNATURE is no proof of a payment for this; error says why."],
  payment_required: [402, "This has to be paid for; the header PAYMENT-REQUIRED says what, and to whom."],
  tx_not_found: [402, "The chain has no such transaction since this was demanded."],
  tx_failed: [402, "The transaction has failed; it moved nothing."],
  wrong_recipient: [402, "The transaction pays nothing to this recipient."],
  wrong_currency: [402, "The transaction pays in another currency."],
  amount_too_low: [402, "The transaction pays less than the price."],
  payment_pending: [402, "The transaction is not final yet; send the same proof again later. Do not pay again."],
  payment_already_used: [409, "This transaction has paid for something else, or is somebody else's."],
  resource_not_found: [404, "There is no such resource."],
  resource_exists: [409, "There is a resource of that name already; remove it first."],
  invalid_resource: [400, "A resource has exactly one of text, json and base64, with what it says."],
  payments_not_configured: [503, "This server takes no payments now: no recipient is configured for that chain."],

  // Chains (sections 6, 7)
  chain_unavailable: [502, "The chain gives no answer that can be trusted right now; try again shortly."],
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
