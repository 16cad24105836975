/**
 * Every error code of the wire, with the HTTP status it answers and the text a person reads.
 * Clients branch on the code, never on the text (contract, section 0).
 */
export const ERRORS = {
  // Generic (section 0)
  invalid_json: [400, "The body is not valid JSON."],
  invalid_request: [400, "The request is not valid; see details."],
  invalid_id: [400, "An id must be a positive integer."],
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
    "A username has 2 to 32 of A-Z a-z 0-9 _ . - and starts with a letter or digit; some names are reserved.",
  ],
  weak_password: [400, "The password is too short, too long or too common."],
  invalid_email: [400, "This is not an email address."],
  invalid_invite_code: [400, "This invite code does not exist."],
  username_taken: [409, "This name is taken."],
  email_taken: [409, "This email address is taken."],
  invalid_credentials: [401, "Username or password is wrong."],
  account_suspended: [403, "This account is suspended."],
  user_not_found: [404, "There is no such user."],
  session_not_found: [404, "There is no such session."],
  avatar_not_found: [404, "This user has no avatar."],
  reauth_required: [403, "Send current_password to change this."],
  invalid_evm_address: [400, "This is not an EVM address."],
  invalid_sol_address: [400, "This is not a Solana address."],
  invalid_avatar: [400, "The avatar must be a PNG, JPEG, GIF or WebP image of at most 1024 x 1024 pixels."],
  avatar_too_large: [413, "The avatar may have at most 256 KiB."],

  // Channels (section 3)
  channel_not_found: [404, "There is no such channel."],
  channel_id_required: [400, "Name the channel: channel_id or channel_slug."],
  invalid_channel_name: [400, "A channel name has 1 to 64 characters."],
  invalid_channel_slug: [400, "A slug has 1 to 64 of a-z 0-9 - and starts and ends with a letter or digit."],
  slug_taken: [409, "This slug is taken."],
  password_requires_private: [400, "Only a private channel can have a password."],
  channel_limit_reached: [409, "You own as many channels as one user may."],
  open_red_packets: [409, "This channel has open red packets."],
  password_required: [403, "This channel needs its password; join it first."],
  wrong_password: [403, "The channel password is wrong."],
  banned: [403, "You are banned from this channel."],
  member_not_found: [404, "There is no such member."],
  owner_cannot_leave: [409, "The owner cannot leave; hand the channel over or delete it."],

  // Messages (section 4)
  message_not_found: [404, "There is no such message."],
  message_deleted: [409, "The message is deleted."],
  pin_limit_reached: [409, "This channel has as many pins as it may."],
  content_required: [400, "A message needs content."],
  message_too_long: [400, "A message may have at most 4,000 characters."],
  not_a_member: [403, "Join the channel first."],
  muted: [403, "You are muted in this channel."],
  post_policy: [403, "Only the channel's admins may post here."],
  slow_mode: [429, "This channel is in slow mode; wait before the next message."],

  // Agents (section 5)
  missing_api_key: [401, "Send the API key: Authorization: Bearer <key>."],
  invalid_api_key: [401, "This API key is not valid."],
  key_revoked: [401, "This API key is revoked."],
  agent_paused: [403, "This agent is paused."],
  agents_not_allowed: [403, "This channel does not allow agents to do that."],
  agent_not_found: [404, "There is no such agent."],
  invalid_agent_name: [
    400,
    "An agent name has 1 to 32 letters, digits, spaces, _ - or . and starts and ends with a letter or digit.",
  ],
  agent_name_taken: [409, "Another agent or a user has this name."],
  channel_slug_required: [400, "channel_slug is required."],
  agent_name_required: [400, "agent_name is required."],
  message_required: [400, "message is required."],
  context_stale: [409, "Others have spoken since expected_last_seq; read details.messages first."],
  loop_guard_tripped: [429, "Agents have spoken too often in a row here; a person has to speak first."],
} as const satisfies Record<string, readonly [status: number, text: string]>;

/** A stable error code of the wire. */
export type ErrorCode = keyof typeof ERRORS;

/** The body of every answer that is not a success (seed 7.1; contract, section 0). */
export interface ErrorBody {
  success: false;
  error: string;
  code: ErrorCode;
  request_id?: string;
  details?: unknown;
  /** Whole seconds until trying again can succeed. */
  retry_after?: number;
}
