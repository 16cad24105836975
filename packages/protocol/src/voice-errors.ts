/** Errors of voice notes (protocol §13.18), a part of `ERRORS`. */
export const VOICE_ERRORS = {
  not_a_voice_note: [
    422,
    "This file is no voice note. Its bytes must be sound alone: WebM, MP4, Ogg, MP3 or WAV without a picture.",
  ],
  voice_note_not_sent: [409, "Send this voice note first. Then it can get a transcript."],
  transcript_not_found: [404, "This voice note has no transcript."],
  transcript_taken: [409, "Somebody else has written the transcript of this voice note."],
} as const;
