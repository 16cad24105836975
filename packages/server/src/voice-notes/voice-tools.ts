import { FileResponse } from "@parley/protocol/files";
import { TranscriptInput } from "@parley/protocol/voice-calls";
import { repeatable, type Tool, tool } from "../mcp/tool.ts";

/** The tool that gives voice notes their words. */
export const voiceTools: readonly Tool[] = [
  tool({
    name: "write_transcript",
    title: "Write a transcript",
    description:
      "Attaches the words of a voice note to it, for everybody in its channel. Write what is said, and nothing else. read_file gives you a short voice note as audio; otherwise fetch the file over HTTP. It replaces the transcript that you wrote before.",
    input: TranscriptInput,
    output: FileResponse,
    routes: ["setTranscript"],
    effects: repeatable({ destructiveHint: false, openWorldHint: true }),
    invalid: { file_id: "invalid_id" },
    async run(rest, { file_id, ...words }) {
      const body = await rest("setTranscript", { params: { file_id }, body: words });
      return { body, text: `The voice note ${file_id} has its transcript.` };
    },
  }),
];
