import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { AgentCapabilities, ContentBlock } from "@agentclientprotocol/sdk";
import type { AgentClient, MessageItem } from "@parley/sdk";

/** A picture of up to this size is given to an agent that can see; larger ones are files. */
const IMAGE_BYTES = 5 * 1024 * 1024;

/**
 * Returns what the agent is asked: the server's fenced text of the message, and its files. They are stored where the agent can
 * read them, because it has no key.
 */
export async function promptOf(
  client: AgentClient,
  item: MessageItem,
  capabilities: AgentCapabilities | undefined,
  folder: string,
): Promise<ContentBlock[]> {
  const { content, files } = item.chat_message;
  const blocks: ContentBlock[] = [{ type: "text", text: item.rendered ?? content }];
  for (const file of files) {
    if (file.status !== "ready") continue;
    const bytes = await client.readFile(file);
    const { mime_type: mimeType, size_bytes: size } = file;
    if (capabilities?.promptCapabilities?.image === true && mimeType.startsWith("image/") && size <= IMAGE_BYTES) {
      blocks.push({ type: "image", mimeType, data: Buffer.from(bytes).toString("base64") });
      continue;
    }
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${file.file_id}-${safeName(file.name)}`);
    writeFileSync(path, bytes, { mode: 0o600 });
    blocks.push({ type: "resource_link", uri: pathToFileURL(path).href, name: file.name, mimeType, size });
  }
  return blocks;
}

/** A sender chose the name: it must not lead out of the folder. */
const safeName = (name: string): string => name.replace(/[^\p{L}\p{N}._ -]/gu, "_").slice(-80);
