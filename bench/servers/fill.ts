import { Database } from "bun:sqlite";
import { channelToken, userToken } from "../../packages/server/src/search/index/message-index.ts";
import { indexedWords } from "../../packages/server/src/search/index/words.ts";
import { CHANNELS, corpus } from "../corpus.ts";

const AT_ONCE = 50_000;
const FIRST_MOMENT = Date.UTC(2026, 0, 1);

/** Returns the slug of a channel of the corpus, in both servers. */
export const corpusSlug = (channel: number): string => `corpus-${channel}`;

type Write = (index: number, channel: number, content: string) => void;

/** Writes the corpus in a few transactions and prints the progress. */
function writeAll(database: Database, count: number, write: Write): void {
  const messages = corpus(count);
  for (let done = 0; done < count; done += AT_ONCE) {
    database.transaction(() => {
      for (let i = done; i < Math.min(count, done + AT_ONCE); i += 1) {
        const { value } = messages.next();
        write(i, value.channel, value.content);
      }
    })();
    console.error(`  ${Math.min(count, done + AT_ONCE)} of ${count} messages written`);
  }
}

/** The purposes of `consumeMessages` in the server: what follows messages in the background. */
const CONSUMERS = ["search-2", "notifications", "activity", "agent_activity"];

/**
 * Inserts the corpus into the database of a stopped Parley, as if users 1 to `users` had sent it. With `withIndex`, it
 * writes the search index too, from the server's own words, and leaves nothing to do in the background: a server takes a
 * quarter of a core for that.
 */
export function fillParley(file: string, count: number, users: number, withIndex = false): void {
  using database = new Database(file);
  const names = Array.from({ length: users }, (_, i) => `bench_${i}`);
  const ids = database.query<{ id: number; username: string }, []>("select id, username from users").all();
  const idOf = new Map(ids.map(({ id, username }) => [username, id]));
  const columns =
    "is_private, password_hash, pin_policy, post_policy, agent_policy, slow_mode_seconds, last_message_at, created_at, updated_at";
  const addChannel = database.query<{ id: number }, [string, string]>(
    `insert into channels (name, slug, last_seq, ${columns}) select ?, ?, 0, ${columns} from channels where slug = 'general' returning id`,
  );
  const channels = Array.from({ length: CHANNELS }, (_, i) => {
    const id = addChannel.get(corpusSlug(i), corpusSlug(i))?.id;
    if (id === undefined) throw new Error("no channel");
    return { id, seq: 0 };
  });
  const add = database.query<{ id: number }, (string | number)[]>(
    `insert into messages (channel_id, seq, type, content, sender_type, user_id, sender_name, created_at)
     values (?, ?, 'text', ?, 'user', ?, ?, ?) returning id`,
  );
  const index = database.query("insert into message_words (rowid, words) values (?, ?)");
  writeAll(database, count, (i, channel, content) => {
    const place = channels[channel];
    const name = names[i % users];
    const user = idOf.get(name ?? "");
    if (place === undefined || name === undefined || user === undefined) throw new Error(`no channel ${channel}`);
    place.seq += 1;
    const row = add.get(place.id, place.seq, content, user, name, FIRST_MOMENT + i);
    if (row === null) throw new Error("no message");
    if (withIndex) index.run(row.id, [channelToken(place.id), userToken(user), ...indexedWords(content)].join(" "));
  });
  for (const { id, seq } of channels) {
    database.run("update channels set last_seq = ? where id = ?", [seq, id]);
    if (!withIndex || seq === 0) continue;
    for (const purpose of CONSUMERS) {
      database.run("insert into channel_cursors (purpose, channel_id, seq) values (?, ?, ?)", [purpose, id, seq]);
    }
  }
}

/** Inserts the corpus into the database of a stopped express server. */
export function fillExpress(file: string, count: number, users: number): void {
  using database = new Database(file);
  const add = database.query(
    `insert into messages (channel_slug, seq, type, content, username, reply_to_id, is_pinned, edited_at, is_deleted, created_at)
     values (?, ?, 'text', ?, ?, null, 0, null, 0, ?)`,
  );
  const seqs = Array<number>(CHANNELS).fill(0);
  writeAll(database, count, (i, channel, content) => {
    const seq = (seqs[channel] ?? 0) + 1;
    seqs[channel] = seq;
    add.run(corpusSlug(channel), seq, content, `bench_${i % users}`, FIRST_MOMENT + i);
  });
}

/** The time between two messages. It gives consecutive messages of one sender, and changes of day. */
const APART_MS = 40_000;

/** Returns what an agent writes: words, a list, and 20 lines of code. */
export function withCode(content: string, index: number): string {
  const body = Array.from(
    { length: 18 },
    (_, i) => `  const value${i} = compute("step ${i}", ${index + i}); // see above`,
  );
  return `**${content}**\n\n- first\n- \`second\`\n\n\`\`\`ts\nexport function step${index}(): number {\n${body.join("\n")}\n  return value0;\n}\n\`\`\``;
}

const withLinks = (content: string, index: number) =>
  index % 20 === 7 ? `${content} https://example.org/${index}` : content;

/**
 * Inserts messages of the corpus into one channel, as if its members had sent them until now: every eighth answers an
 * earlier one, every sixth has a reaction, and `textOf` adds to each text. Returns the id of the one in the middle.
 */
export function fillChannel(file: string, slug: string, count: number, textOf = withLinks): number {
  using database = new Database(file);
  const channel = database
    .query<{ id: number; last_seq: number }, [string]>("select id, last_seq from channels where slug = ?")
    .get(slug);
  const users = database.query<{ id: number; username: string }, []>("select id, username from users").all();
  if (channel === null || users.length === 0) throw new Error(`there is no channel ${slug}, or there are no users`);
  const add = database.query<{ id: number }, (string | number | null)[]>(
    `insert into messages (channel_id, seq, type, content, sender_type, user_id, sender_name, reply_to_id, reactions, created_at)
     values (?, ?, 'text', ?, 'user', ?, ?, ?, ?, ?) returning id`,
  );
  const began = Date.now() - count * APART_MS;
  let [last, middle] = [0, 0];
  writeAll(database, count, (i, _channel, content) => {
    const user = users[Math.floor(i / 3) % users.length];
    const text = textOf(content, i);
    const replyTo = i > 100 && i % 8 === 3 ? last - 5 - (i % 40) : null;
    const reactions = i % 6 === 2 ? JSON.stringify([{ reaction: "like", count: 1 + (i % 4) }]) : null;
    const at = began + i * APART_MS;
    const seq = channel.last_seq + i + 1;
    last = add.get(channel.id, seq, text, user?.id ?? null, user?.username ?? "", replyTo, reactions, at)?.id ?? last;
    if (i <= count / 2) middle = last;
  });
  const values = [channel.last_seq + count, Date.now(), channel.id];
  database.run("update channels set last_seq = ?, last_message_at = ? where id = ?", values);
  return middle;
}
