import { Type } from "typebox";
import { tool } from "./mcp.ts";
import { Id } from "./values.ts";
import { TranscriptLanguage, TranscriptText } from "./voice-notes.ts";

/** The arguments of the tool `write_transcript` (protocol §12.3). */
export const TranscriptInput = tool({
  file_id: Type.Integer({ ...Id, description: "The number in the file's address." }),
  text: TranscriptText,
  language: Type.Optional(TranscriptLanguage),
});
