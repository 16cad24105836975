import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type AgentClient, ParleyError, type Who } from "@parley/sdk";
import { type Connection, connect } from "../../shared/src/connect.ts";
import { Ending } from "../../shared/src/ending.ts";
import { claimKey, readKeyFile, type StoredKey } from "../../shared/src/key.ts";
import { Receipts } from "../../shared/src/receipts.ts";
import { dropReports } from "../../shared/src/reports.ts";
import { StateFolder } from "../../shared/src/state-folder.ts";
import { AgentProcess, needsLogin } from "./agent-process.ts";
import { Harness } from "./harness.ts";
import type { Options } from "./options.ts";
import { State } from "./state.ts";
import { takeOver } from "./take-over.ts";
import { Costs } from "./usage.ts";
import { conversationWith, type DirectPerson } from "./where-asked.ts";

export interface Output {
  /** Lines for supervisors and tests, on standard output. */
  print(line: string): void;
  /** Lines for people, on standard error. */
  say(line: string): void;
  /** Ends the program. */
  signal: AbortSignal;
}

/** Runs until the signal, or until an error ends it. */
export async function run(options: Options, output: Output): Promise<void> {
  const { key, folder } = await keyOf(options, output);
  const connection = await connect(key, options.name);
  const { client, calls } = connection;
  const lost = new AbortController();
  const signal = AbortSignal.any([output.signal, lost.signal]);
  const reader = await takeOver(connection, folder, output);
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    lost.abort();
  };
  // Read after the other one has gone, which wrote it until then.
  const state = new State(folder);
  state.setUrl(key.url);
  const who: Who = options.approvers.length === 0 ? { owner: true } : { users: [...options.approvers] };
  const asking = {
    client,
    calls,
    folder,
    who,
    receipts: new Receipts(folder, output.print),
    quorum: options.quorum,
    expiresIn: options.expiresIn,
    direct: await directPerson(connection, options, output.say),
  };
  const process = new AgentProcess(
    options.command,
    options.folders[0] ?? ".",
    {
      onUpdate: (notification) => harness.onUpdate(notification),
      onPermission: (request, gone) => harness.onPermission(request, gone),
    },
    output,
  );
  const filesFolder = join(folder.path, "files");
  const { say } = output;
  const costs = new Costs();
  const harness = new Harness({ client, asking, process, state, options, costs, filesFolder, say, signal, fail });
  try {
    await process.running();
    await dropReports(client, output.say);
    output.print(`READY ${client.name}`);
    await Promise.all(
      [readInbox(client, harness, reader, output, signal), watch(client, harness, say, signal)].map((each) =>
        each.catch(fail),
      ),
    );
  } catch (error) {
    fail(error);
  }
  lost.abort();
  await harness.idle();
  await process.end();
  folder.unlock("lock");
  if (failure !== undefined) throw endingOf(failure, options);
}

async function keyOf(options: Options, { say }: Output): Promise<{ key: StoredKey; folder: StateFolder }> {
  if (options.code !== undefined) {
    const key = await claimKey(options.code, options.keyFile, say);
    return { key, folder: new StateFolder(`${key.file}.d`) };
  }
  const file = options.keyFile ?? "";
  const apiKey = readKeyFile(file);
  const folder = new StateFolder(`${file}.d`);
  const url = options.url ?? new State(folder).url;
  if (url === null) throw new Ending("Name the server with --url.", 2);
  return { key: { url, apiKey, file }, folder };
}

/** Returns who is asked in a direct conversation, and says so if there is none yet. */
async function directPerson(
  { calls, me }: Connection,
  { cardsAreDirect, approvers }: Options,
  say: Output["say"],
): Promise<DirectPerson | null> {
  const username = approvers[0] ?? me.owner?.username;
  if (!cardsAreDirect || username === undefined) return null;
  if ((await conversationWith(calls, { username })) === null)
    say(`Nothing can be permitted before ${username} opens a direct conversation with the agent.`);
  return { username };
}

const REFUSED_MS = 30_000;

async function readInbox(
  client: AgentClient,
  harness: Harness,
  reader: string,
  { say }: Output,
  signal: AbortSignal,
): Promise<void> {
  const kinds = ["mention", "direct", "notice"] as const;
  while (!signal.aborted) {
    try {
      for await (const item of client.inbox({ kinds, manualAck: true, reader, signal })) await harness.take(item);
    } catch (error) {
      if (!(error instanceof ParleyError) || error.status !== 403) throw error;
      // The agent is paused, or may not read now. Its turns have ended; what waits is read again later.
      say(`The inbox cannot be read: ${error.message} Trying again in ${REFUSED_MS / 1_000} seconds.`);
      await setTimeout(REFUSED_MS, undefined, { signal }).catch(() => {}); // the end of the program ends the wait
    }
  }
}

/** Follows the agent's channels, to end the work on a message that is deleted. Without it the work only goes on. */
async function watch(client: AgentClient, harness: Harness, say: Output["say"], signal: AbortSignal): Promise<void> {
  try {
    for await (const event of client.events({ signal }))
      if (event.event === "message:delete") harness.onDeleted(event.data.message_id);
  } catch (error) {
    if (!(error instanceof ParleyError) || error.status === 401) throw error;
    say(`Deleted messages are not noticed: ${error.message}`);
  }
}

/** Says why the program ends, in words that help. */
function endingOf(error: unknown, { command }: Options): Error {
  if (error instanceof Ending) return error;
  if (needsLogin(error))
    return new Ending(
      `The agent is not logged in. Run \`${command.join(" ")}\` or its own login in a terminal, then start again.`,
    );
  if (error instanceof ParleyError && error.is("inbox_taken"))
    return new Ending("Another parley-acp was started with this key and took over, so this one ends.");
  if (error instanceof ParleyError && error.status === 401)
    return new Ending("The key is no longer valid. Ask the agent's owner for another setup code.");
  return error instanceof Error ? error : new Error(String(error));
}
