import * as limits from "@parley/protocol/limits";
import type { ParleyError } from "@parley/sdk/errors";
import {
  channelNames,
  durationOf,
  type ErrorTexts,
  errorDetail,
  fieldErrors,
  formatDetailTime,
  formatLimit,
} from "./error-message.ts";

/** The server's own words, where they are more exact than ours can be. */
const said = ({ message }: ParleyError): string => message;

const RELOAD = "This page and the server no longer fit together. Reload the page.";
const UNREACHABLE = "The server cannot be reached.";

/** Why something failed, in English: what people who use the page can meet. */
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
      `Something else answered in the server's place${status === 0 ? "" : `, with status ${status}`}. Try again.`,
    connection_lost: "The connection broke.",
    connection_closed: "The connection was closed.",
    session_over: "Your session is over. Log in again.",
    access_ended: "This channel is not open to you any more.",

    invalid_json: `This is not valid JSON, or it is nested deeper than ${limits.JSON_DEPTH} levels.`,
    invalid_request(error) {
      const complaints = fieldErrors(error).map(({ path, message }) => `${path} ${message}`.trim());
      return complaints.length === 0 ? error.message : `The server does not accept this: ${complaints.join("; ")}.`;
    },
    invalid_id: "There is nothing here with such a number.",
    invalid_cursor: "This place in the list is not there any more.",
    no_fields: "Nothing was changed.",
    idempotency_conflict: "This was sent before with other content. Change something, and send it anew.",
    session_required: "Log in first.",
    forbidden: said,
    cross_site: "The server takes nothing from the address at which this page was opened. Open it at the server's own.",
    not_found: RELOAD,
    method_not_allowed: RELOAD,
    unsupported_media_type: RELOAD,
    unknown_command: RELOAD,
    body_too_large: (error) => `This is too large: ${formatLimit(error, limits.BODY_BYTES)} at most.`,
    rate_limited: "That was too often.",
    too_many_sockets: "You have this page open too many times. Close one first.",
    too_many_channels: "You follow too many channels at once. Leave one first.",
    internal_error: "Something went wrong in the server.",
    overloaded: "The server is busy.",
    storage_full: "The server cannot keep anything right now.",
    storage_unavailable: "The server's database does not answer right now.",
    draining: "The server is restarting.",
    not_ready: "The server is not ready yet.",

    invalid_username: `A username has ${limits.USERNAME_MIN} to ${limits.USERNAME_MAX} of A-Z a-z 0-9 _ . - and starts with a letter or digit. Reserved names and names that look like them are refused.`,
    weak_password: said,
    invalid_email: "This is not an email address.",
    invalid_invite_code: "This invite code does not exist.",
    blocked: "This user does not take messages or invitations from you.",
    user_blocked: "You have blocked this person. Unblock them first.",
    block_limit_reached: "You have blocked as many people as you may. Unblock somebody first.",
    username_taken: "This name is taken, or looks like one that is.",
    invalid_credentials: "Username or password is wrong.",
    account_suspended: "This account is suspended.",
    user_not_found: "There is no such user.",
    username_required: "Say whose.",
    session_not_found: "This session has ended already.",
    invalid_signature: "This does not look like a signature.",
    challenge_not_found: "The server does not know this text any more. Begin again.",
    challenge_used: "This text has been signed before. Begin again.",
    challenge_expired: "This took too long. Begin again.",
    wrong_signature: "This signature is not of that wallet, or not of that text.",
    avatar_not_found: "This user has no picture.",
    reauth_required: "Your current password is missing or wrong.",
    invalid_evm_address: "This is not an EVM address.",
    invalid_sol_address: "This is not a Solana address.",
    invalid_avatar: `The picture must be a PNG, JPEG, GIF or WebP of at most ${limits.AVATAR_SIDE} × ${limits.AVATAR_SIDE} pixels; a GIF of at most ${limits.GIF_FRAMES} frames.`,
    avatar_too_large: (error) => `The picture may have at most ${formatLimit(error, limits.AVATAR_BYTES)}.`,
    insufficient_balance: "You do not have enough.",
    points_on_hold(error) {
      const available = errorDetail(error, "available");
      const rest = "The points that a new account was given can be spent after its first 24 hours.";
      return typeof available === "string" ? `You can spend ${available} points now. ${rest}` : rest;
    },
    owns_channels(error) {
      const names = channelNames(error).map((name) => `#${name}`);
      return `Hand over or delete the channels of this account first${names.length === 0 ? "" : `: ${names.join(", ")}`}.`;
    },
    last_owner: "This is the site's only owner. Make another one first.",
    user_suspended: "This user's account is suspended.",
    agent_not_found: "There is no such agent.",
    key_not_found: "There is no such key.",

    channel_not_found: "There is no such channel.",
    invalid_channel_name: `A channel name has 1 to ${limits.CHANNEL_NAME_MAX} visible characters of one script.`,
    slug_taken: "This address is taken by another channel.",
    password_requires_private: "Only a private channel can have a password.",
    channel_limit_reached: `This would be more than the ${limits.CHANNELS_PER_USER} channels one user may own.`,
    open_red_packets: "There are red packets that are open, or being paid out. Wait for their end.",
    password_required: "This channel needs its password. Join it first.",
    wrong_password: "The channel password is wrong.",
    banned(error) {
      const until = formatDetailTime(error, "until", "en");
      return until === null ? "You are banned from this channel." : `You are banned from this channel until ${until}.`;
    },
    member_not_found: "There is no such member.",
    member_banned: "This one is banned here. Lift the ban first.",
    ban_not_found: "Nobody of that name is banned here.",
    channel_not_deleted: "This channel is not deleted.",
    restore_expired: `This channel was deleted more than ${limits.RESTORE_DAYS} days ago. It is gone.`,
    owner_cannot_leave: "The owner cannot leave. Hand the channel over or delete it.",
    not_a_member: "Join the channel first.",
    muted(error) {
      const until = formatDetailTime(error, "muted_until", "en");
      return until === null ? "You are muted in this channel." : `You are muted in this channel until ${until}.`;
    },
    post_policy: said,
    slow_mode: "This channel is in slow mode.",
    agents_not_allowed: "This channel does not allow agents to do that.",

    message_not_found: "There is no such message.",
    message_deleted: "The message is deleted.",
    content_required: "A message needs content.",
    message_too_long: `A message may have at most ${limits.CONTENT_MAX.toLocaleString("en")} characters.`,
    pin_limit_reached: `This channel has ${limits.PINS_PER_CHANNEL} pinned messages already, which is as many as it may.`,
    invalid_reaction: "A reaction is one emoji, or a short name of a-z 0-9 _ + -.",
    reaction_limit_reached: `This message has ${limits.REACTIONS_PER_MESSAGE} kinds of reaction already, which is as many as it may.`,
    report_not_found: "There is no such report.",
    report_closed: "Somebody has closed this report already.",
    query_required: "Say what to search for.",
    invalid_query: said,
    sticker_not_found: "There is no such sticker.",
    file_too_large: (error) => `A sticker may have at most ${formatLimit(error, limits.STICKER_BYTES)}.`,
    not_a_gif: "This is not a whole and sound GIF.",
    gif_limits: `A sticker may have ${limits.STICKER_SIDE} × ${limits.STICKER_SIDE} pixels, ${limits.GIF_FRAMES} frames, and 16 million pixels in all frames together.`,
    sticker_limit_reached: `You have ${limits.STICKERS_PER_USER} stickers already, which is as many as you may.`,

    invalid_amount: "This amount is too small, or not a number.",
    invalid_count: `A red packet has 1 to ${limits.PACKET_COUNT_MAX} shares.`,
    invalid_tx_hash: "This is not the hash of a transaction on that chain.",
    unsupported_chain: "This server has no packets in that currency on that chain.",
    share_too_small: "The shares are too small for what it costs to pay them out.",
    not_eligible: (error) =>
      errorDetail(error, "reason") === "banned"
        ? "Who is banned here cannot open this red packet."
        : "Only members of the channel can open this red packet.",
    packet_not_found: "There is no such red packet.",
    packet_empty: "All shares of this red packet are claimed.",
    packet_not_active: "Nothing can be done with this red packet as it stands now.",
    packet_claimed: "Somebody has opened this red packet already.",
    packet_expired: "The time of this red packet is over.",
    tx_already_used: "This transaction has paid for something else already.",
    funding_mismatch: "This transaction does not fund the red packet.",
    wallet_address_required: (error) =>
      errorDetail(error, "reason") === "no_token_account"
        ? `Your wallet has no account for ${errorDetail(error, "currency")} yet. Create one in the wallet, then open the packet again.`
        : "Prove your wallet address on that chain in your profile first.",
    payouts_unavailable: "Shares on that chain cannot be paid out right now.",
    payout_not_found: "There is no such payout.",
    payout_not_failed: "Only a payout that has failed can be tried again.",

    invalid_price: "This server takes no payments in that currency on that chain.",
    invalid_payment_signature: "This is no proof of a payment for this.",
    payment_required: "This has to be paid for.",
    tx_not_found: "The chain has no such transaction since the price was asked.",
    tx_failed: "This transaction failed on the chain. It moved nothing.",
    wrong_recipient: "This transaction pays nothing to that address.",
    wrong_currency: "This transaction pays in another coin or token.",
    amount_too_low: "This transaction pays less than the price.",
    payment_pending: "The transaction is not final yet. Name the same one again later; do not pay again.",
    payment_already_used: "This transaction has paid for something else, or is somebody else's.",
    resource_not_found: "Nothing of that name is for sale.",
    resource_exists: "Something of that name is for sale already. Take it off sale first.",
    invalid_resource: "What is sold is one text, JSON or file that is not empty.",
    payments_not_configured: "This server takes no payments on that chain now.",
    chain_unavailable: "The chain gives no answer that can be trusted right now. Try again shortly.",
  },
};
