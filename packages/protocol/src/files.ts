import { type Static, Type } from "typebox";
import { ALT_TEXT_MAX, FILE_NAME_MAX } from "./limits.ts";
import { Id, model, Nullable, Timestamp } from "./values.ts";

/** The text that describes a file to people who cannot see it. */
export const AltText = Type.String({ maxLength: ALT_TEXT_MAX, description: "Describes the file in words." });

/** A file that was uploaded (protocol §13.2). */
export const FileRecord = model("File", "A file that was uploaded.", {
  file_id: Id,
  name: Type.String({ maxLength: FILE_NAME_MAX, description: "Without a path, control or bidirectional characters." }),
  mime_type: Type.String({ description: "The type found in the bytes." }),
  size_bytes: Type.Integer({ minimum: 1 }),
  sha256: Type.String({ description: "Of the bytes as they are served, in hexadecimal." }),
  width: Nullable(Type.Integer({ minimum: 1 })),
  height: Nullable(Type.Integer({ minimum: 1 })),
  alt_text: Nullable(AltText),
  status: Type.Enum(["scanning", "ready", "blocked"], {
    description: "`ready`: it can be sent and read. `blocked`: a virus scanner refused it.",
  }),
  url: Type.String({ description: "Serves the bytes to those who may read the message." }),
  preview_url: Nullable(Type.String({ description: "A smaller picture, as WebP; `?size=1280` for a larger one." })),
  username: Nullable(Type.String({ description: "Who uploaded it, if a user." })),
  agent_name: Nullable(Type.String({ description: "Who uploaded it, if an agent." })),
  created_at: Timestamp,
  expires_at: Nullable(Timestamp),
});
export type FileRecord = Static<typeof FileRecord>;
