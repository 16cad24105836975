import { gzipSync } from "node:zlib";

const BLOCK = 512;
const MODE = "0000755";
/** The time that npm gives to all files, so that the same content has the same bytes. */
const TIME = 499_162_500;

/** Packs files as npm does: a gzip-compressed tar with the folder `package`. The same files always give the same bytes. */
export function tarball(files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const parts = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(`package/${path}`, content.length), content, padding];
  });
  return new Uint8Array(gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 }));
}

/** The header of a file in the format of POSIX.1-1988 (ustar). */
function header(path: string, size: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long for a tarball`);
  const block = Buffer.alloc(BLOCK);
  block.write(path, 0);
  block.write(`${MODE}\0`, 100);
  block.write("0000000\0", 108); // owner
  block.write("0000000\0", 116); // group
  block.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  block.write(`${TIME.toString(8).padStart(11, "0")}\0`, 136);
  block.write("        ", 148); // the checksum counts as spaces
  block.write("0", 156); // a file
  block.write("ustar\x0000", 257);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
