// The other side of `inProgram`: reads calls as lines of JSON, and writes what they return.
import { createInterface } from "node:readline";

export const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

/** Writes a message of the Bot API as the tests look at it. */
export const receive = ({ message_id, text, caption, chat, message_thread_id: thread, photo }) =>
  write({ received: { message_id, text, caption, chat_type: chat.type, thread, photo: photo?.at(-1)?.file_id } });

/** Answers calls until the input ends. `retryAfterOf` finds the seconds in an error of the client. */
export async function serve(acts, retryAfterOf) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, act, ...fields } = JSON.parse(line);
    acts[act](fields).then(
      (result) => write({ id, result: result ?? null }),
      (error) => write({ id, error: String(error), retry_after: retryAfterOf(error) }),
    );
  }
}

/** Downloads a file, and returns its size. */
export const sizeAt = async (url) => (await (await fetch(url)).arrayBuffer()).byteLength;
