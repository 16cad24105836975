import { readFileSync } from "node:fs";
import { join } from "node:path";

const SOURCES = join(import.meta.dir, "../packages/server/src");

/** A function, constant or method (`Class.method`) on the road, and what it decides. */
type Step = readonly [file: string, name: string, about: string];

/** The road of a user's plain text on a lone server with SQLite, from a socket to the disk and to every reader. */
const ROAD: readonly { part: string; steps: readonly Step[] }[] = [
  {
    part: "The socket",
    steps: [
      ["gateway/dispatcher.ts", "Dispatcher.receive", "A socket's commands start in the order of its frames."],
      [
        "gateway/dispatcher.ts",
        "Dispatcher.#start",
        "The caller is admitted, and the data are checked against the schema.",
      ],
      [
        "http/admission.ts",
        "admit",
        "Every door calls it. `identified` takes from the caller's limits and checks the key's scope.",
      ],
      ["gateway/commands.ts", "send", "When the message is in the queue, the socket's next command may start."],
    ],
  },
  {
    part: "May the sender post this?",
    steps: [
      [
        "channels/access/access.ts",
        "writableAtOnce",
        "`writableChannel` tries this first: for nearly all sends the answer is in memory. It remembers the check; if the right may have ended meanwhile, the transaction runs it again.",
      ],
      [
        "messages/append/post-message.ts",
        "postMessage",
        "In a channel with slow mode, a sender's messages take turns.",
      ],
      ["messages/append/post-message.ts", "post", "The promise resolves after the commit."],
      ["messages/append/post-message.ts", "checkedDraft", "A plain text needs no query."],
    ],
  },
  {
    part: "The queue",
    steps: [
      ["messages/append/draft.ts", "roadOf", "Nearly all drafts are stored as a row and nothing else."],
      ["db/batch-queue.ts", "BatchQueue.#drain", "Drafts that arrive during a commit share the next one."],
      ["messages/append/append.ts", "commit", "`transactBatch` commits only if the rights of all senders still hold."],
    ],
  },
  {
    part: "The transaction",
    steps: [
      [
        "messages/append/append-batch.ts",
        "writeBatch",
        "A message that was sent before is answered as then. The others get the next numbers of their channels.",
      ],
      [
        "event-log/rows.ts",
        "advanceChannel",
        "The update locks the channel's row, so numbers follow the order of commits.",
      ],
      ["event-log/rows.ts", "insertMessages", ""],
      [
        "db/sqlite/log-sync.ts",
        "LogSync.committed",
        "No result leaves the driver before this sync of the log has ended.",
      ],
    ],
  },
  {
    part: "To every reader",
    steps: [
      ["messages/append/append.ts", "postedEffects", "It runs after the commit. Then the sender gets the answer."],
      ["messages/append/append.ts", "publishMessages", ""],
      [
        "realtime/broker/broker.memory.ts",
        "MemoryBroker.publish",
        "In a cluster the broker on Redis carries the frames to the other nodes.",
      ],
      [
        "event-log/feed/channel-feed.ts",
        "ChannelFeed.accept",
        "The feed puts frames in order, and fills a gap from the database.",
      ],
      ["realtime/hub.ts", "Hub.#pass", "Bun writes a frame to all subscribed sockets."],
    ],
  },
];

/** More lines than this are not read in ten minutes. */
const LINES_MAX = 300;

/** Renders the code that a message passes, in its order. */
export function messageRoadPage(): string {
  const steps = ROAD.flatMap((part) => part.steps);
  const lines = steps.reduce((sum, [file, name]) => sum + linesOf(file, name).length, 0);
  if (lines > LINES_MAX) throw new Error(`The message's road has ${lines} lines of code; leave out some.`);
  const parts = ROAD.map(({ part, steps }) => `## ${part}\n\n${steps.map(rendered).join("\n\n")}`);
  return `<!-- Generated from the code that it shows by \`npm run format\`. Do not edit. -->
# Read this first: the road of a message

These ${lines} lines are the code that a user's plain text passes on a lone server with SQLite, from a frame on a socket to the disk and
to every reader. [Sending a message](../subsystems/sending-a-message.md) says what is promised on the way, and what happens to other
messages, on PostgreSQL and in a cluster. Paths begin in \`packages/server/src\`.

${parts.join("\n\n")}
`;
}

function rendered([file, name, about]: Step): string {
  const code = linesOf(file, name).join("\n");
  return `\`${file}\`${about === "" ? "" : `: ${about}`}\n\n\`\`\`ts\n${code}\n\`\`\``;
}

/** Returns the lines of a declaration, without the comment before it. Throws if the file has none of this name. */
function linesOf(file: string, name: string): string[] {
  const [owner = "", member] = name.split(".");
  const all = readFileSync(join(SOURCES, file), "utf8").split("\n");
  const from = all.findIndex((line) =>
    new RegExp(`^(?:export )?(?:async )?(?:function|const|class) ${owner}\\b`).test(line),
  );
  const method = new RegExp(`^  (?:async |readonly )*${member}(?:\\(|<| = )`);
  const start = member === undefined ? from : all.findIndex((line, at) => at > from && method.test(line));
  if (from === -1 || start === -1) throw new Error(`packages/server/src/${file} declares no ${name}.`);
  const indent = member === undefined ? "" : "  ";
  // The formatter closes a declaration on a line that is indented like its first one.
  const isEnd = (line: string) =>
    line.startsWith(indent) && /^(?:\}|\)|\}\))?;?$|^\}.*;$/.test(line.slice(indent.length));
  const length = /[;}]$/.test(all[start] ?? "")
    ? 1
    : all.slice(start).findIndex((line, at) => at > 0 && isEnd(line)) + 1;
  return all.slice(start, start + length).map((line) => line.slice(indent.length));
}
