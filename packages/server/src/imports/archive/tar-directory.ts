import type { FileHandle } from "node:fs/promises";
import { SourceError } from "../source.ts";
import type { EntryList } from "./entry-list.ts";
import { quoted } from "./entry-names.ts";
import { BLOCK, headerOf, recordsOf, type TarHeader } from "./tar-header.ts";

/** A header of many small files is near the one before. */
const READ_AT_ONCE = 256 * 1024;
/** Longer names and records are no work of an exporting program. */
const EXTENDED_MAX = 64 * 1024;
/** The types by which `tar` programs of all times mark a file. */
const FILES = new Set(["0", "\0", "7"]);
const DECODER = new TextDecoder("utf-8", { fatal: true });

/** Facts that extended headers say of the file after them. */
interface Extended {
  name?: Uint8Array;
  size?: number;
}

/** Reads all headers of a tar file, and adds its files to a list, each with its place. */
export class TarDirectory {
  readonly #file: FileHandle;
  readonly #size: number;
  readonly #entries: EntryList;
  readonly #path: string;
  #block = Buffer.alloc(0);
  #from = 0;
  #extended: Extended = {};

  /** `path` is the export's, for messages. */
  constructor(file: FileHandle, size: number, entries: EntryList, path: string) {
    this.#file = file;
    this.#size = size;
    this.#entries = entries;
    this.#path = path;
  }

  async read(): Promise<void> {
    for (let at = 0; ; ) {
      const header = headerOf(await this.#bytes(at, BLOCK));
      if (header === null) return;
      if (header === undefined) throw this.#damaged(`there is no header at byte ${at}`);
      const size = await this.#add(header, at + BLOCK);
      at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    }
  }

  /** Returns the bytes that follow the header. */
  async #add(header: TarHeader, offset: number): Promise<number> {
    switch (header.type) {
      case "x":
      case "L":
        await this.#extend(header, offset);
        return header.size;
      // Facts of all files, such as a commit, and names of links.
      case "g":
      case "K":
        return header.size;
      default:
        return this.#addEntry(header, offset);
    }
  }

  async #extend({ type, size }: TarHeader, offset: number): Promise<void> {
    if (size > EXTENDED_MAX) throw this.#damaged(`the header before byte ${offset} is too large`);
    const bytes = Buffer.from(await this.#bytes(offset, size));
    if (type === "L") {
      this.#extended.name = bytes.subarray(0, bytes.indexOf(0) < 0 ? size : bytes.indexOf(0));
      return;
    }
    const records = recordsOf(bytes);
    if (records === undefined) throw this.#damaged(`the header before byte ${offset} is invalid`);
    const [name, written] = [records.get("path"), records.get("size")];
    const isSparse = [...records.keys()].some((key) => key.startsWith("GNU.sparse"));
    if (isSparse) throw this.#refused(quoted(this.#nameOf(name ?? new Uint8Array())), "has holes. Pack it again");
    if (name !== undefined) this.#extended.name = name;
    if (written !== undefined) this.#extended.size = this.#sizeOf(Buffer.from(written).toString("latin1"), offset);
  }

  #sizeOf(text: string, offset: number): number {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw this.#damaged(`the header before byte ${offset} is invalid`);
  }

  #addEntry(header: TarHeader, offset: number): number {
    const { name: bytes = header.name, size = header.size } = this.#extended;
    this.#extended = {};
    const name = this.#nameOf(bytes);
    if (header.type === "5" || name.endsWith("/")) {
      // The folder that was packed as a whole.
      if (name !== "" && name !== "./" && name !== ".") this.#entries.count(name);
      return 0;
    }
    if (header.type === "1" || header.type === "2")
      throw this.#refused(quoted(name), "is a link. No exporting program writes this; export again");
    if (!FILES.has(header.type)) throw this.#refused(quoted(name), "is neither a file nor a folder. Pack it again");
    if (offset + size > this.#size) throw this.#damaged(`${quoted(name)} ends after the file`);
    this.#entries.add(name, size, { offset, packedSize: size, method: 0, crc: header.checksum });
    return size;
  }

  /** `tar` writes `./` before the names if a folder is packed as `.`. */
  #nameOf(bytes: Uint8Array): string {
    try {
      return DECODER.decode(bytes).replace(/^\.\/(?=.)/, "");
    } catch {
      const name = Buffer.from(bytes).toString("latin1");
      throw new SourceError(`${this.#path} is damaged: the name ${quoted(name)} is no valid UTF-8. Export again.`);
    }
  }

  async #bytes(position: number, length: number): Promise<Uint8Array> {
    if (position + length > this.#size) throw this.#damaged("its end is missing");
    if (position < this.#from || position + length > this.#from + this.#block.length) {
      const block = Buffer.alloc(Math.min(READ_AT_ONCE, this.#size - position));
      const { bytesRead } = await this.#file.read(block, 0, block.length, position);
      [this.#block, this.#from] = [block.subarray(0, bytesRead), position];
    }
    return this.#block.subarray(position - this.#from, position - this.#from + length);
  }

  #damaged(what: string): SourceError {
    return new SourceError(`${this.#path} is cut off or damaged (${what}). Copy or download it again.`);
  }

  #refused(name: string, what: string): SourceError {
    return new SourceError(`${this.#path} is refused: ${name} ${what}.`);
  }
}
