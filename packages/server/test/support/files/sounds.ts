const box = (type: string, ...parts: (Uint8Array | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, content]);
};

/** An MP4 file whose tracks have these handlers: `soun`, `vide`. */
export function mp4Of(...handlers: string[]): Uint8Array<ArrayBuffer> {
  const tracks = handlers.map((handler) => box("trak", box("mdia", box("hdlr", "\0\0\0\0\0\0\0\0", handler))));
  return new Uint8Array(Buffer.concat([box("ftyp", "isom\0\0\0\0mp42"), box("moov", ...tracks), box("mdat", "sound")]));
}

const element = (id: string, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(id, "hex"), Buffer.from([0x40 | (content.length >> 8), content.length]), content]);
};
const OF_UNKNOWN_SIZE = Buffer.from("01ffffffffffffff", "hex");

/** A WebM file as browsers record it, whose tracks have these types: 1 is a picture, 2 is sound. */
export function webmOf(...types: number[]): Uint8Array<ArrayBuffer> {
  const head = element("1a45dfa3", element("4282", Buffer.from("webm")));
  const entries = types.map((type) =>
    element("ae", element("d7", Buffer.from([1])), element("83", Buffer.from([type]))),
  );
  const segment = Buffer.concat([Buffer.from("18538067", "hex"), OF_UNKNOWN_SIZE]);
  const cluster = Buffer.concat([Buffer.from("1f43b675", "hex"), OF_UNKNOWN_SIZE, Buffer.from("sound")]);
  return new Uint8Array(Buffer.concat([head, segment, element("1654ae6b", ...entries), cluster]));
}
