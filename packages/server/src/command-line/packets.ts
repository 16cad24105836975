import { readFile } from "node:fs/promises";
import { ReadPacketResponse } from "@parley/protocol/red-packets";
import { Compile } from "typebox/compile";
import { type PublicPacket, splitProblems } from "../red-packets/claim/split.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";

const TIMEOUT_MS = 10_000;

/** Exit code 1: the split is not as promised, or cannot be checked. */
export async function packetVerify(call: Invocation): Promise<number> {
  const [source = ""] = call.positionals;
  const packet = readPacket(
    source,
    /^https?:\/\//.test(source) ? await fetched(source) : await fromFile(fileAt(call, source)),
  );
  const { packet_id, count, fairness } = packet.red_packet;
  if (fairness.seed === null)
    throw new CommandError(`Packet ${packet_id} is not closed yet. Its split can be checked once the seed is visible.`);
  const problems = splitProblems(packet);
  const claims = `${packet.claims.length} of ${count} shares were claimed`;
  const words =
    problems.length === 0
      ? `Packet ${packet_id} was split as promised: ${claims}, and each received the share of its rank.`
      : `Packet ${packet_id} was NOT split as promised:\n${problems.map((problem) => `  ${problem}`).join("\n")}`;
  print(call, { packet_id, is_fair: problems.length === 0, problems, commitment: fairness.commitment }, words);
  return problems.length === 0 ? 0 : 1;
}

async function fetched(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return await answer.text();
  } catch (error) {
    throw new CommandError(`${url} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function fromFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readPacket(source: string, text: string): PublicPacket {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const schema = Compile(ReadPacketResponse);
  if (!schema.Check(body)) {
    throw new CommandError(`${source} is not a red packet. Pass the response of GET /api/red-packets/:packet_id.`);
  }
  return body;
}
