import * as limits from "@parley/protocol/limits";
import type { ParleyError } from "@parley/sdk";
import {
  channelNames,
  durationOf,
  type ErrorTexts,
  errorDetail,
  fieldErrors,
  formatDetailTime,
  formatLimit,
} from "./error-message.ts";

/** Returns the server's text, for codes where it is more exact than a text of the page. */
const said = ({ message }: ParleyError): string => message;

const RELOAD = "This page and the server have different versions. Reload the page.";
const UNREACHABLE = "The server cannot be reached.";

/** English error texts, for the codes that users of the page can meet. */
export const EN_ERRORS: ErrorTexts = {
  wait(text, seconds) {
    const { count, unit } = durationOf(seconds);
    return `${text} Wait ${count} ${unit === "second" ? "s" : count === 1 ? unit : `${unit}s`}.`;
  },
  broken: (error) => `Something went wrong in this page: ${error}`,
  codes: {
    network_error: UNREACHABLE,
    timeout: UNREACHABLE,
    invalid_answer: ({ status }) =>
      `The response did not come from the server${status === 0 ? "" : ` (status ${status})`}. Try again.`,
    connection_lost: "The connection was lost.",
    connection_closed: "The connection was closed.",
    session_over: "Your session has ended. Log in again.",
    access_ended: "You no longer have access to this channel.",

    invalid_json: `This is not valid JSON, or it is nested more than ${limits.JSON_DEPTH} levels deep.`,
    invalid_request(error) {
      const complaints = fieldErrors(error).map(({ path, message }) => `${path} ${message}`.trim());
      return complaints.length === 0 ? error.message : `The server does not accept this: ${complaints.join("; ")}.`;
    },
    invalid_id: "This item does not exist.",
    invalid_cursor: "This position in the list no longer exists.",
    no_fields: "Nothing was changed.",
    idempotency_conflict: "This was already sent with different content. Change something and send it again.",
    session_required: "Log in first.",
    forbidden: said,
    cross_site:
      "The server does not accept requests from this page's address. Open the page at the server's own address.",
    not_found: RELOAD,
    method_not_allowed: RELOAD,
    unsupported_media_type: RELOAD,
    unknown_command: RELOAD,
    body_too_large: (error) => `This is too large. The limit is ${formatLimit(error, limits.BODY_BYTES)}.`,
    rate_limited: "You did this too often.",
    too_many_sockets: "This page is open too many times. Close one first.",
    too_many_channels: "You are following too many channels at once. Leave one first.",
    internal_error: "Something went wrong on the server.",
    overloaded: "The server is busy.",
    storage_full: "The server cannot store anything right now.",
    storage_unavailable: "The server's database does not respond right now.",
    draining: "The server is restarting.",
    not_ready: "The server is not ready yet.",

    invalid_username: `A username has ${limits.USERNAME_MIN} to ${limits.USERNAME_MAX} of A-Z a-z 0-9 _ . - and starts with a letter or digit. Reserved names and names that look like them are refused.`,
    weak_password: said,
    invalid_email: "This is not a valid email address.",
    invalid_invite_code: "This invite code does not exist.",
    invite_code_required: "You need an invite code to create an account here. Ask a member for one.",
    registration_closed: "New accounts can't be created here. Ask an administrator for one.",
    blocked: "This user does not accept messages or invitations from you.",
    user_blocked: "You have blocked this person. Unblock them first.",
    block_limit_reached: "You have reached the limit of blocked people. Unblock somebody first.",
    username_taken: "This name is taken, or looks like one that is.",
    invalid_credentials: "The username or password is wrong.",
    account_suspended: "This account is suspended.",
    user_not_found: "There is no such user.",
    username_required: "Enter a username.",
    session_not_found: "This session has already ended.",
    invalid_signature: "The signature is malformed.",
    challenge_not_found: "The server no longer knows this text. Start again.",
    challenge_used: "This text has already been signed. Start again.",
    challenge_expired: "This took too long. Start again.",
    wrong_signature: "The signature was not made by that wallet, or it signs another text.",
    avatar_not_found: "This user has no picture.",
    reauth_required: "Your current password is missing or wrong.",
    invalid_evm_address: "This is not a valid EVM address.",
    invalid_sol_address: "This is not a valid Solana address.",
    invalid_avatar: `The picture must be a PNG, JPEG, GIF or WebP of at most ${limits.AVATAR_SIDE} × ${limits.AVATAR_SIDE} pixels; a GIF of at most ${limits.GIF_FRAMES} frames.`,
    avatar_too_large: (error) => `The picture must not exceed ${formatLimit(error, limits.AVATAR_BYTES)}.`,
    insufficient_balance: "Your balance is too low.",
    points_on_hold(error) {
      const available = errorDetail(error, "available");
      const rest = "A new account can spend its initial points after its first 24 hours.";
      return typeof available === "string" ? `You can spend ${available} points now. ${rest}` : rest;
    },
    owns_channels(error) {
      const names = channelNames(error).map((name) => `#${name}`);
      return `Transfer or delete the channels of this account first${names.length === 0 ? "" : `: ${names.join(", ")}`}.`;
    },
    last_owner: "This is the site's only owner. Make another owner first.",
    user_suspended: "This user's account is suspended.",
    agent_not_found: "There is no such agent.",
    key_not_found: "There is no such key.",

    channel_not_found: "There is no such channel.",
    invalid_channel_name: `A channel name has 1 to ${limits.CHANNEL_NAME_MAX} visible characters of one script.`,
    slug_taken: "Another channel already has this name in links.",
    password_requires_private: "Only a private channel can have a password.",
    channel_limit_reached: `One user can own at most ${limits.CHANNELS_PER_USER} channels.`,
    open_red_packets: "There are red packets that are open or being paid out. Wait until they are closed.",
    password_required: "This channel has a password. Join it first.",
    wrong_password: "The channel password is wrong.",
    banned(error) {
      const until = formatDetailTime(error, "until", "en");
      return until === null ? "You are banned from this channel." : `You are banned from this channel until ${until}.`;
    },
    member_not_found: "There is no such member.",
    member_banned: "This user or agent is banned here. Lift the ban first.",
    ban_not_found: "Nobody with this name is banned here.",
    channel_not_deleted: "This channel is not deleted.",
    restore_expired: `This channel was deleted more than ${limits.RESTORE_DAYS} days ago and cannot be restored.`,
    owner_cannot_leave: "The owner cannot leave. Transfer or delete the channel first.",
    not_a_member: "Join the channel first.",
    muted(error) {
      const until = formatDetailTime(error, "muted_until", "en");
      return until === null ? "You are muted in this channel." : `You are muted in this channel until ${until}.`;
    },
    post_policy: said,
    slow_mode: "This channel is in slow mode.",
    agents_not_allowed: "This channel does not allow agents to do this.",

    message_not_found: "There is no such message.",
    message_deleted: "The message is deleted.",
    content_required: "A message needs content.",
    message_too_long: `A message may have at most ${limits.CONTENT_MAX.toLocaleString("en")} characters.`,
    pin_limit_reached: `This channel already has the maximum of ${limits.PINS_PER_CHANNEL} pinned messages.`,
    invalid_reaction: "A reaction is one emoji, or a short name of a-z 0-9 _ + -.",
    reaction_limit_reached: `This message already has the maximum of ${limits.REACTIONS_PER_MESSAGE} different reactions.`,
    report_not_found: "There is no such report.",
    report_closed: "This report is already closed.",
    query_required: "Enter something to search for.",
    invalid_query: said,
    sticker_not_found: "There is no such sticker.",
    file_too_large: (error) => `A sticker must not exceed ${formatLimit(error, limits.STICKER_BYTES)}.`,
    not_a_gif: "The file is not a complete and valid GIF.",
    gif_limits: `A sticker may have at most ${limits.STICKER_SIDE} × ${limits.STICKER_SIDE} pixels, ${limits.GIF_FRAMES} frames, and 16 million pixels in all frames together.`,
    sticker_limit_reached: `You already have the maximum of ${limits.STICKERS_PER_USER} stickers.`,

    invalid_amount: "This amount is too small, or not a number.",
    invalid_count: `A red packet has 1 to ${limits.PACKET_COUNT_MAX} shares.`,
    invalid_tx_hash: "This is not a transaction hash of that chain.",
    unsupported_chain: "This server does not offer red packets in that currency on that chain.",
    share_too_small: "The shares are too small to cover the cost of paying them out.",
    not_eligible: (error) =>
      errorDetail(error, "reason") === "banned"
        ? "You are banned from this channel, so you cannot open this red packet."
        : "Only members of the channel can open this red packet.",
    packet_not_found: "There is no such red packet.",
    packet_empty: "All shares of this red packet have been claimed.",
    packet_not_active: "The red packet is not in a state that allows this.",
    packet_claimed: "Somebody has already opened this red packet.",
    packet_expired: "This red packet has expired.",
    tx_already_used: "This transaction has already paid for something else.",
    funding_mismatch: "This transaction does not fund the red packet.",
    wallet_address_required: (error) =>
      errorDetail(error, "reason") === "no_token_account"
        ? `Your wallet has no account for ${errorDetail(error, "currency")} yet. Create one in the wallet, then open the packet again.`
        : "Verify your wallet address on that chain in your profile first.",
    payouts_unavailable: "Shares on that chain cannot be paid out right now.",
    payout_not_found: "There is no such payout.",
    payout_not_failed: "Only a failed payout can be retried.",

    invalid_price: "This server does not accept payments in that currency on that chain.",
    invalid_payment_signature: "This is not a proof of payment for this.",
    payment_required: "This requires a payment.",
    tx_not_found: "The chain has no such transaction since the price was requested.",
    tx_failed: "This transaction failed on the chain and moved nothing.",
    wrong_recipient: "This transaction does not pay that address.",
    wrong_currency: "This transaction pays in another coin or token.",
    amount_too_low: "This transaction pays less than the price.",
    payment_pending: "The transaction is not final yet. Submit it again later, and do not pay again.",
    payment_already_used: "This transaction has already paid for something else, or it is somebody else's.",
    resource_not_found: "There is no item with this name for sale.",
    resource_exists: "An item with this name is already for sale. Remove it first.",
    invalid_resource: "An item must be one text, JSON or file, and not empty.",
    payments_not_configured: "This server does not accept payments on that chain now.",
    chain_unavailable: "The chain does not give a reliable answer right now. Try again shortly.",
  },
};
