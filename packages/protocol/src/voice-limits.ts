/** Limits of voice notes (protocol §13.18). */

/** Milliseconds of a voice note at most. */
export const VOICE_MS_MAX = 15 * 60_000;
/** Values of a waveform at most, and the loudest one. */
export const WAVEFORM_MAX = 100;
export const WAVEFORM_LOUDEST = 100;
/** Code points of all transcripts of a message. */
export const TRANSCRIPT_MAX = 10_000;
