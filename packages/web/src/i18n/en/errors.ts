import * as limits from "@parley/protocol/limits";
import { LOGO_BYTES, LOGO_SIDE } from "@parley/protocol/site";
import type { ParleyError } from "@parley/sdk";
import {
  channelNames,
  durationOf,
  type ErrorTexts,
  errorDetail,
  fieldErrors,
  formatDetailTime,
  formatLimit,
} from "../error-message.ts";
import { grouped, plural } from "../locale.ts";
import { complaint } from "./complaint.ts";
import { EN_EMOJI_ERRORS } from "./emoji-errors.ts";
import { EN_MAIL_ERRORS } from "./mail-errors.ts";

/** Returns the server's text, for codes where it is more exact than a text of the page. */
const said = ({ message }: ParleyError): string => message;

const RELOAD = "This page is out of date. Reload it.";
const UNREACHABLE = "Can't reach the server. Check your connection.";

/** English error texts, for the codes that users of the page can meet. */
export const EN_ERRORS: ErrorTexts = {
  wait(text, seconds) {
    const { count, unit } = durationOf(seconds);
    return `${text} Try again in ${plural(count, unit, `${unit}s`)}.`;
  },
  broken: (error) => `Something went wrong: ${error}`,
  codes: {
    network_error: UNREACHABLE,
    timeout: UNREACHABLE,
    invalid_answer: ({ status }) =>
      `The response didn't come from the server${status === 0 ? "" : ` (status ${status})`}. Try again.`,
    connection_lost: "The connection was lost.",
    connection_closed: "The connection was closed.",
    session_over: "Your session has ended. Log in again.",
    access_ended: "You no longer have access to this channel.",

    invalid_json: `This isn't valid JSON, or it's nested more than ${limits.JSON_DEPTH} levels deep.`,
    invalid_request(error) {
      const complaints = fieldErrors(error).map(({ path, message }) => complaint(path, message));
      if (complaints.length === 0) return error.message;
      return `The server didn't accept this. ${[...new Set(complaints)].join("; ")}.`;
    },
    invalid_id: "This item doesn't exist.",
    invalid_cursor: "This place in the list no longer exists. Reload the page.",
    no_fields: "Nothing was changed.",
    idempotency_conflict: "This was already sent with different content. Change something and send it again.",
    session_required: "Log in first.",
    forbidden: said,
    cross_site: "The server doesn't accept requests from this address. Open the page at the server's own address.",
    not_found: RELOAD,
    method_not_allowed: RELOAD,
    unsupported_media_type: RELOAD,
    unknown_command: RELOAD,
    body_too_large: (error) => `This is too large. The limit is ${formatLimit(error, limits.BODY_BYTES)}.`,
    rate_limited: "Too many attempts.",
    too_many_sockets: "You have too many tabs of this page open. Close one first.",
    too_many_channels: "You have too many channels open. Leave one first.",
    internal_error: "Something went wrong on the server.",
    overloaded: "The server is busy.",
    storage_full: "The server's storage is full, so it can't save anything.",
    storage_unavailable: "The server's database isn't responding.",
    draining: "The server is restarting.",
    not_ready: "The server isn't ready yet.",

    invalid_username: `Usernames are ${limits.USERNAME_MIN} to ${limits.USERNAME_MAX} characters: letters, digits, _ . and -, starting with a letter or digit. You can't use a reserved name or one that looks like it.`,
    weak_password: said,
    invalid_email: "Enter a valid email address.",
    invalid_invite_code: "This invite code isn't valid. Check it or ask for a new one.",
    invitation_not_found: "This invitation doesn't exist.",
    invitation_limit_reached: "You have 20 invitations that still work. Revoke one first.",
    invitation_expired: "This invitation has expired. Ask for a new one.",
    invitation_used_up: "This invitation has been used up. Ask for a new one.",
    invitation_revoked: "This invitation has been revoked. Ask for a new one.",
    invite_code_required: "You need an invite code to create an account here. Ask a member for one.",
    password_login_off: "You can't log in with a password here. Use the button above.",
    oidc_disabled: "This server has no single sign-on.",
    oidc_denied: "You weren't logged in: the login was cancelled, or you aren't allowed to use this chat.",
    oidc_failed: "Logging in didn't work. Try again. If it fails again, tell an administrator.",
    domain_not_allowed: "Your email address isn't allowed to log in here, or it isn't verified.",
    signup_closed: "There's no account for you here yet. Ask an administrator for one.",
    identity_taken: "This login is already linked to another account.",
    identity_not_found: "This login was already removed.",
    last_login_method: "This is your only way to log in. Add another one before you remove it.",
    invalid_logout_token: RELOAD,
    registration_closed: "New accounts can't be created here. Ask an administrator for one.",
    blocked: "This user doesn't accept messages or invitations from you.",
    user_blocked: "You've blocked this person. Unblock them first.",
    direct_not_allowed: "This agent doesn't take direct messages from you. Mention it in a channel instead.",
    block_limit_reached: "You've reached the limit of blocked people. Unblock someone first.",
    username_taken: "This name is taken or too similar to one that is. Choose another.",
    agent_name_required: "Enter a name for the agent.",
    invalid_agent_name: `Agent names are 1 to ${limits.AGENT_NAME_MAX} characters of one script: letters, digits, spaces, _ . and -, starting and ending with a letter or digit. You can't use a reserved name or one that looks like it.`,
    agent_name_taken: "This name is taken or too similar to one that is. Choose another.",
    invalid_credentials: "Wrong username or password.",
    account_suspended: "This account is suspended.",
    user_not_found: "This user doesn't exist.",
    username_required: "Enter a username.",
    claim_link_expired:
      "This link no longer works. It may have expired, been used, or been replaced. Ask an administrator for a new one.",
    session_not_found: "This session has already ended.",
    second_factor_required: "Enter the code of your second factor.",
    second_factor_setup_required: "This site requires a second factor. Set one up first.",
    wrong_code: "This code is wrong, or has been used. Wait for the next one and try again.",
    totp_enabled: "You already have an authenticator app. Remove it first.",
    totp_not_enabled: "You have no authenticator app.",
    totp_setup_expired: "This took too long. Start over.",
    passkey_not_found: "This passkey no longer exists.",
    passkey_rejected: "This passkey isn't known here, or couldn't be verified.",
    passkey_exists: "This passkey is already in your list.",
    passkey_limit_reached: "You have as many passkeys as possible. Remove one first.",
    passkeys_unavailable: "Passkeys don't work at this address.",
    invalid_signature: "This isn't a valid signature. Copy it again from your wallet.",
    challenge_not_found: "The server no longer knows this text. Start over.",
    challenge_used: "This text has already been signed. Start over.",
    challenge_expired: "This took too long. Start over.",
    wrong_signature: "The signature is from a different wallet or for a different text.",
    avatar_not_found: "This user has no picture.",
    reauth_required: (error) =>
      errorDetail(error, "wrong") === true
        ? "This isn't your current password."
        : "Enter your current password to confirm this change.",
    invalid_evm_address: "Enter a valid EVM address.",
    invalid_sol_address: "Enter a valid Solana address.",
    invalid_display_name:
      "Display names are 1 to 48 letters, digits, spaces and . , ' - of one script. You can't use a name that looks like somebody else's username, or like a reserved one.",
    invalid_status: "A status has a short text on one line, and ends within a year.",
    invalid_avatar: `The picture must be a PNG, JPEG, GIF or WebP of at most ${limits.AVATAR_SIDE} × ${limits.AVATAR_SIDE} pixels; a GIF of at most ${limits.GIF_FRAMES} frames.`,
    avatar_too_large: (error) => `The picture is too large. The limit is ${formatLimit(error, limits.AVATAR_BYTES)}.`,
    insufficient_balance: "You don't have enough points.",
    points_on_hold(error) {
      const available = errorDetail(error, "available");
      const rest = "A new account can spend its initial points after its first 24 hours.";
      return typeof available === "string" ? `You can spend ${grouped(BigInt(available))} points now. ${rest}` : rest;
    },
    owns_channels(error) {
      const names = channelNames(error).map((name) => `#${name}`);
      return `Transfer or delete the channels of this account first${names.length === 0 ? "" : `: ${names.join(", ")}`}.`;
    },
    last_owner: "This is the site's only owner. Add another owner first.",
    user_suspended: "This user's account is suspended.",
    agent_not_found: "This agent doesn't exist.",
    key_not_found: "This key doesn't exist.",
    agent_paused: "This agent is paused. Resume it first.",
    setup_code_not_found: "This setup code doesn't exist. Ask the agent's owner for a new one.",
    setup_code_limit_reached: "This agent has 5 setup codes that still work. Use one, or wait 10 minutes.",
    setup_code_used: "This setup code has been used. Ask the agent's owner for a new one.",
    setup_code_expired: "This setup code has expired. Ask the agent's owner for a new one.",
    agent_limit_reached: "You have the maximum number of agents. Make a setup code for one of them instead.",

    invalid_logo: `The logo must be a PNG, JPEG or WebP of at most ${LOGO_SIDE} × ${LOGO_SIDE} pixels.`,
    logo_too_large: (error) => `The logo is too large. The limit is ${formatLimit(error, LOGO_BYTES)}.`,
    setting_locked: (error) =>
      `The server's environment sets this, with ${errorDetail(error, "variable") ?? "a variable"}.`,
    site_changed: "Somebody else has changed these settings meanwhile. Open this page again to see them.",

    channel_not_found: "This channel doesn't exist, or you don't have access.",
    invalid_channel_name: `Channel names are 1 to ${limits.CHANNEL_NAME_MAX} visible characters in one script.`,
    slug_taken: "Another channel already has this link name. Choose another.",
    password_requires_private: "Only a private channel can have a password.",
    channel_limit_reached: `You can own at most ${grouped(limits.CHANNELS_PER_USER)} channels.`,
    open_red_packets: "Some red packets are still open or being paid out. Wait until they're closed.",
    password_required: "This channel has a password. Enter it to join.",
    wrong_password: "Wrong channel password.",
    banned(error) {
      const until = formatDetailTime(error, "until", "en");
      return until === null ? "You're banned from this channel." : `You're banned from this channel until ${until}.`;
    },
    member_not_found: "This member doesn't exist.",
    member_banned: "This user or agent is banned here. Lift the ban first.",
    ban_not_found: "No one with this name is banned here.",
    channel_not_deleted: "This channel hasn't been deleted.",
    restore_expired: `This channel was deleted more than ${limits.RESTORE_DAYS} days ago and can't be restored.`,
    owner_cannot_leave: "The owner can't leave. Transfer or delete the channel first.",
    not_a_member: "Join the channel first.",
    muted(error) {
      const until = formatDetailTime(error, "muted_until", "en");
      return until === null ? "You're muted in this channel." : `You're muted in this channel until ${until}.`;
    },
    post_policy: said,
    slow_mode: "This channel is in slow mode.",
    agents_not_allowed: "This channel doesn't allow agents to do this.",
    budget_exhausted: "This agent has used up a budget for today.",

    message_not_found: "This message doesn't exist.",
    message_deleted: "This message was deleted.",
    not_a_thread_root: "This message is itself a reply in a thread.",
    thread_locked: "This thread is locked. Only the channel's admins can reply.",
    stream_not_found: "This message is not being written any more.",
    content_required: "Write a message first.",
    message_too_long: `Messages can be up to ${grouped(limits.CONTENT_MAX)} characters long.`,
    pin_limit_reached: `This channel already has ${limits.PINS_PER_CHANNEL} pinned messages. Unpin one first.`,
    invalid_reaction: "A reaction is one emoji, or a short name of a-z 0-9 _ + -.",
    reaction_limit_reached: `This message already has ${limits.REACTIONS_PER_MESSAGE} different reactions. Use one of those.`,
    report_not_found: "This report doesn't exist.",
    report_closed: "This report is already closed.",
    query_required: "Enter something to search for.",
    invalid_query: said,
    sticker_not_found: "This sticker doesn't exist.",
    file_too_large: (error) => `This file is too large. The limit is ${formatLimit(error, limits.STICKER_BYTES)}.`,
    upload_too_slow: "Your connection is too slow for this file. Try again in a better network.",
    file_not_found: "This file doesn't exist any more.",
    empty_file: "This file is empty.",
    type_not_allowed: "This server doesn't accept files of this type.",
    image_limits: "This picture has too many pixels or frames.",
    file_blocked: "The virus scanner blocked this file.",
    quota_reached: "Your files take all the space you have here. Delete messages with files first.",
    file_already_sent: "This file was already sent. Add it again.",
    file_not_ready: "This file is still being scanned. Try again in a moment.",
    not_a_gif: "That file isn't a valid GIF.",
    gif_limits: `Stickers can have at most ${limits.STICKER_SIDE} × ${limits.STICKER_SIDE} pixels, ${limits.GIF_FRAMES} frames, and 16 million pixels in all frames together.`,
    sticker_limit_reached: `You already have ${limits.STICKERS_PER_USER} stickers. Delete one first.`,

    invalid_amount: "This amount is too small or isn't a number. Enter another.",
    invalid_count: `A red packet can have 1 to ${limits.PACKET_COUNT_MAX} shares.`,
    invalid_tx_hash: "This isn't a valid transaction hash on that chain.",
    unsupported_chain: "This server doesn't offer red packets in that currency on that chain.",
    share_too_small: "The shares are too small to cover the cost of paying them out.",
    not_eligible: (error) =>
      errorDetail(error, "reason") === "banned"
        ? "You're banned from this channel, so you can't open this red packet."
        : "Only members of the channel can open this red packet.",
    packet_not_found: "This red packet doesn't exist.",
    packet_empty: "All shares of this red packet have been claimed.",
    packet_not_active: "You can't do this with the red packet right now.",
    packet_claimed: "Someone has already opened this red packet.",
    packet_expired: "This red packet has expired.",
    tx_already_used: "This transaction has already paid for something else.",
    funding_mismatch: "This transaction doesn't fund the red packet.",
    wallet_address_required: (error) =>
      errorDetail(error, "reason") === "no_token_account"
        ? `Your wallet has no account for ${errorDetail(error, "currency")} yet. Create one in the wallet, then open the packet again.`
        : "Verify your wallet address on that chain in your profile first.",
    payouts_unavailable: "Shares on that chain can't be paid out right now.",
    payout_not_found: "This payout doesn't exist.",
    payout_not_failed: "Only a failed payout can be retried.",

    invalid_price: "This server doesn't accept payments in that currency on that chain.",
    invalid_payment_signature: "This isn't a valid proof of payment.",
    payment_required: "This requires a payment.",
    tx_not_found: "No such transaction has been on the chain since the price was requested.",
    tx_failed: "This transaction failed on the chain, so nothing was paid.",
    wrong_recipient: "This transaction pays a different address.",
    wrong_currency: "This transaction uses a different coin or token.",
    amount_too_low: "This transaction pays less than the price.",
    payment_pending: "The transaction isn't final yet. Submit it again later, and don't pay again.",
    payment_already_used: "This transaction has already paid for something else, or it's someone else's.",
    resource_not_found: "No item with this name is for sale.",
    resource_exists: "An item with this name is already for sale. Remove it first.",
    invalid_resource: "An item must be one text, JSON or file, and not empty.",
    payments_not_configured: "This server doesn't accept payments on that chain right now.",
    chain_unavailable: "The chain isn't giving reliable answers right now.",

    invalid_url: "The server can't use this address.",
    push_disabled: "This server doesn't send push messages.",
    subscription_not_found: "This browser doesn't receive push messages any more.",

    invalid_send_at: "Choose a time from 10 seconds to one year ahead.",
    preview_not_found: "This preview doesn't exist any more.",
    scheduled_not_found: "This scheduled message doesn't exist any more.",
    scheduled_over: "This message can't be changed any more: it was sent, has failed or was cancelled.",
    scheduled_limit_reached: "100 of your messages wait to be sent. Cancel one first.",
    saved_limit_reached: "You have saved 1,000 messages. Remove one first.",
    cannot_forward: "This kind of message can't be forwarded. Only text and files can.",
    forward_not_editable: "A forwarded message can't be changed. Delete it and forward again.",

    invalid_poll: "A poll needs a question and 2 to 10 different options, each on one line.",
    unknown_option: "This poll doesn't have this option.",
    one_option_only: "You can choose only one option.",
    poll_not_found: "This poll doesn't exist any more.",
    poll_closed: "This poll is closed.",

    invalid_remind_at: "Choose a time from 10 seconds to one year ahead.",
    reminder_not_found: "This reminder doesn't exist any more.",
    reminder_over: "This reminder has ended. Make a new one.",
    reminder_limit_reached: "100 of your reminders wait. Delete one first.",
    here_not_allowed: "Only the channel's admins may call everybody with @here.",
    here_rate_limited: "Too many messages called everybody with @here. Wait a little, or send it without @here.",
    ...EN_EMOJI_ERRORS,
    ...EN_MAIL_ERRORS,

    webhook_not_found: "This webhook doesn't exist any more.",
    webhook_limit_reached: "There can't be more webhooks here. Delete one first.",
    webhook_disabled: "This webhook is off. Turn it on first.",
    unknown_event: "Webhooks can't get one of these events.",
    delivery_not_found: "This delivery isn't kept any more.",
    invalid_webhook_name:
      "A webhook's name has 1 to 50 visible characters, and does not look like a user's or an agent's.",
  },
};
