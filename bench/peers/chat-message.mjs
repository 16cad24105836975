let seq = 0;

/** The number of the newest message. */
export const lastSeq = () => seq;

/**
 * Returns the next message, with the fields that Parley's records had before threads and files: it
 * is 99 bytes shorter, which favours the peers.
 * @param {string} channelSlug
 * @param {string} content
 */
export function chatMessage(channelSlug, content) {
  seq += 1;
  return {
    id: seq,
    channel_id: 1,
    channel_slug: channelSlug,
    seq,
    type: "text",
    content,
    sender_type: "user",
    username: "bench_0",
    agent_name: null,
    agent_id: null,
    client_msg_id: null,
    reply_to_id: null,
    mentions: [],
    sticker: null,
    packet_id: null,
    reactions: [],
    is_pinned: false,
    pinned_at: null,
    pinned_by: null,
    edited_at: null,
    is_deleted: false,
    created_at: "2026-01-01T00:00:00.000Z",
  };
}
