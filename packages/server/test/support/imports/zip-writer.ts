import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a ZIP. The fields after `bytes` let tests write what no exporting program does. */
export interface ZipEntry {
  name: string | Uint8Array;
  bytes: Uint8Array;
  /** Stored without packing. */
  isStored?: boolean;
  /** False values for the directory. */
  size?: number;
  crc?: number;
  method?: number;
  flags?: number;
  /** The upper half of the external attributes, as on Unix: 0o120777 is a link. */
  mode?: number;
}

const UTF8_NAME = 0x800;
const [LOCAL, CENTRAL, END] = [0x04034b50, 0x02014b50, 0x06054b50];

/** Returns a ZIP of these entries. */
export function zipOf(entries: readonly ZipEntry[]): Uint8Array {
  const [locals, centrals]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const entry of entries) {
    const name = typeof entry.name === "string" ? Buffer.from(entry.name) : Buffer.from(entry.name);
    const packed = entry.isStored === true ? Buffer.from(entry.bytes) : deflateRawSync(entry.bytes);
    const fields = fieldsOf(entry, packed.length, name.length);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(LOCAL);
    fields.copy(local, 4);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(CENTRAL);
    // Made on Unix, so that the attributes have a mode.
    central.writeUInt16LE((3 << 8) | 20, 4);
    fields.copy(central, 6);
    central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    locals.push(local, name, packed);
    centrals.push(central, name);
    offset += local.length + name.length + packed.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

/** The fields that the entry's two headers share. */
function fieldsOf(entry: ZipEntry, packedSize: number, nameLength: number): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(entry.flags ?? UTF8_NAME, 2);
  fields.writeUInt16LE(entry.method ?? (entry.isStored === true ? 0 : 8), 4);
  fields.writeUInt32LE(entry.crc ?? crc32(entry.bytes), 10);
  fields.writeUInt32LE(packedSize, 14);
  fields.writeUInt32LE(entry.size ?? entry.bytes.length, 18);
  fields.writeUInt16LE(nameLength, 22);
  return fields;
}
