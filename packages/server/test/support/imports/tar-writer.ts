/** An entry of a tar file. The fields after `bytes` let tests write what no exporting program does. */
export interface TarEntry {
  name: string | Uint8Array;
  bytes: Uint8Array;
  /** `0`, a file, if it is absent. */
  type?: string;
  prefix?: string;
  /** A false value for the header. */
  size?: number;
  /** True: a wrong checksum. */
  isDamaged?: boolean;
  /** `ustar\0` + `00` as POSIX wants it, or GNU's `ustar  `. */
  magic?: string;
}

const BLOCK = 512;

/** Returns a tar file of these entries, with the blocks that end it. */
export const tarOf = (entries: readonly TarEntry[]): Uint8Array =>
  Buffer.concat([...entries.flatMap((entry) => [headerOf(entry), padded(entry.bytes)]), Buffer.alloc(2 * BLOCK)]);

/** Returns the header that gives the next file a longer name, as Python and POSIX write it. */
export const paxOf = (records: Record<string, string>): TarEntry => ({
  name: "PaxHeaders/x",
  bytes: Buffer.from(Object.entries(records).map(recordOf).join("")),
  type: "x",
});

/** Returns the header that gives the next file a longer name, as GNU writes it. */
export const gnuNameOf = (name: string): TarEntry => ({
  name: "././@LongLink",
  bytes: Buffer.from(`${name}\0`),
  type: "L",
  magic: "ustar  \0",
});

/** The length of a record counts its own digits. */
function recordOf([name, value]: [string, string]): string {
  const rest = ` ${name}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  const length = bytes + String(bytes + String(bytes).length).length;
  return `${length}${rest}`;
}

function headerOf({ name, bytes, type = "0", prefix = "", size, isDamaged, magic = "ustar\x0000" }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK);
  Buffer.from(name as string).copy(header, 0, 0, 100);
  header.write("0000644\0", 100);
  header.write((size ?? bytes.length).toString(8).padStart(11, "0"), 124);
  header.write("14560000000\0", 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(magic, 257, "latin1");
  header.write(prefix, 345);
  const sum = header.reduce((all, byte) => all + byte, isDamaged === true ? 1 : 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function padded(bytes: Uint8Array): Uint8Array {
  const all = Buffer.alloc(Math.ceil(bytes.length / BLOCK) * BLOCK);
  all.set(bytes);
  return all;
}
