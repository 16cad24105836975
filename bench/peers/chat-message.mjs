/**
 * The records and answers of the peers, with Parley's fields in Parley's order: all servers then send the same number of
 * bytes. chat-message.test.ts compares the record with Parley's.
 */

/**
 * Returns the record of a message.
 * @param {{id: number, channel_slug: string, seq: number, type: string, content: string, username: string,
 *   reply_to_id: number | null, is_pinned: number, edited_at: string | null, is_deleted: number}} row
 * @param {string} createdAt
 */
export function record(row, createdAt) {
  return {
    id: row.id,
    channel_id: 1,
    channel_slug: row.channel_slug,
    seq: row.seq,
    type: row.type,
    content: row.content,
    sender_type: "user",
    username: row.username,
    agent_name: null,
    agent_id: null,
    client_msg_id: null,
    reply_to_id: row.reply_to_id,
    mentions: [],
    sticker: null,
    packet_id: null,
    thread_root_id: null,
    also_in_channel: false,
    thread: null,
    files: [],
    reactions: [],
    is_pinned: row.is_pinned === 1,
    pinned_at: null,
    pinned_by: null,
    edited_at: row.edited_at,
    is_deleted: row.is_deleted === 1,
    expires_at: null,
    created_at: createdAt,
  };
}

/**
 * Returns the answer to a send, over HTTP and on a socket.
 * @param {ReturnType<typeof record>} message
 */
export const sendAnswer = (message) => ({
  success: true,
  message_id: message.id,
  seq: message.seq,
  deduplicated: false,
  chat_message: message,
});

/**
 * Returns the data of the event `message:new`.
 * @param {ReturnType<typeof record>} message
 */
export const newMessage = (message) => ({ channel_id: 1, seq: message.seq, chat_message: message });

/**
 * Returns a page of messages, the oldest first.
 * @param {ReturnType<typeof record>[]} messages
 * @param {number} newestSeq
 */
export const page = (messages, newestSeq) => ({
  success: true,
  channel_id: 1,
  messages,
  has_more: true,
  next_before: messages[0]?.seq ?? null,
  last_seq: newestSeq,
  limit: 50,
});

let seq = 0;

/** The number of the newest message, for a peer that stores none. */
export const lastSeq = () => seq;

/**
 * Returns the next message of a peer that stores none.
 * @param {string} channelSlug
 * @param {string} content
 */
export function chatMessage(channelSlug, content) {
  seq += 1;
  const row = {
    id: seq,
    channel_slug: channelSlug,
    seq,
    type: "text",
    content,
    username: "bench_0",
    reply_to_id: null,
    is_pinned: 0,
    edited_at: null,
    is_deleted: 0,
  };
  return record(row, "2026-01-01T00:00:00.000Z");
}
