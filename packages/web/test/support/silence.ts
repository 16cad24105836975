/** Samples of a second, of a byte each. */
const RATE = 8_000;
const HEADER = 44;

/** Returns a WAV file of silence, which browsers play. */
export function silence(seconds: number): Buffer<ArrayBuffer> {
  const length = seconds * RATE;
  const wav = Buffer.alloc(HEADER + length, 128);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(HEADER - 8 + length, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  for (const [at, value] of [1, 1].entries()) wav.writeUInt16LE(value, 20 + 2 * at);
  for (const [at, value] of [RATE, RATE].entries()) wav.writeUInt32LE(value, 24 + 4 * at);
  for (const [at, value] of [1, 8].entries()) wav.writeUInt16LE(value, 32 + 2 * at);
  wav.write("data", 36);
  wav.writeUInt32LE(length, 40);
  return wav;
}
