import { dlopen, FFIType } from "bun:ffi";
import { readFile } from "node:fs/promises";

/** The bytes that name the other end of a TCP connection: family, port, and the address of either kind. */
export const PEER_BYTES = 24;

/** The sockets of this process, by file descriptor. */
export interface ProcessSockets {
  /** Returns a number that is greater than every open descriptor. */
  descriptorEnd(): Promise<number>;
  /**
   * Returns the `PEER_BYTES` that name the peer of a TCP connection; null for everything else. They are overwritten by
   * the next call.
   */
  peerOf(descriptor: number): Uint8Array | null;
  /** Returns the address in the bytes of a peer. An IPv4 address that IPv6 wraps is returned as IPv4. */
  addressIn(peer: Uint8Array): string;
  /** Returns the local port; null if the descriptor is not a TCP socket. */
  localPort(descriptor: number): number | null;
  /**
   * Shuts the connection down. Its owner sees the end of the stream and closes it, so the descriptor remains the
   * owner's.
   */
  shutDown(descriptor: number): void;
}

const AF_INET = 2;
const AF_INET6 = 10;
const SHUT_RDWR = 2;

/**
 * Opens the C library. Returns null where that is impossible: on systems other than Linux, or where generating code at
 * run time is forbidden.
 */
export function processSockets(): ProcessSockets | null {
  const libc = process.platform === "linux" ? sharedLibc() : null;
  if (libc === null) return null;
  const name = Buffer.alloc(128);
  const peer = name.subarray(0, PEER_BYTES);
  const length = new Uint32Array(1);
  const ask = (call: (...args: [number, Buffer, Uint32Array]) => number, descriptor: number): boolean => {
    length[0] = name.length;
    if (call(descriptor, name, length) !== 0) return false;
    const family = name.readUInt16LE(0);
    return family === AF_INET || family === AF_INET6;
  };
  return {
    async descriptorEnd() {
      try {
        return await descriptorSlots();
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EMFILE")) throw error;
        // No descriptor is left to open the file with, so try every possible one.
        return libc.getdtablesize();
      }
    },
    peerOf: (descriptor) => (ask(libc.getpeername, descriptor) ? peer : null),
    addressIn: (bytes) => addressIn(Buffer.from(bytes.buffer, bytes.byteOffset, PEER_BYTES)),
    localPort: (descriptor) => (ask(libc.getsockname, descriptor) ? name.readUInt16BE(2) : null),
    shutDown: (descriptor) => void libc.shutdown(descriptor, SHUT_RDWR),
  };
}

/**
 * Returns the number of slots in the process's table of descriptors. Trying all of them costs less than listing
 * `/proc/self/fd`, which makes a text for each.
 */
async function descriptorSlots(): Promise<number> {
  const slots = /^FDSize:\s*(\d+)$/m.exec(await readFile("/proc/self/status", "utf8"))?.[1];
  if (slots === undefined) throw new Error("/proc/self/status has no line FDSize");
  return Number(slots);
}

/** Opened once in each process, because that takes a millisecond. */
let libc: ReturnType<typeof openLibc> | undefined;

function sharedLibc() {
  libc ??= openLibc();
  return libc;
}

function openLibc() {
  const { i32, ptr } = FFIType;
  const nameOf = { args: [i32, ptr, ptr], returns: i32 } as const;
  const calls = {
    getpeername: nameOf,
    getsockname: nameOf,
    shutdown: { args: [i32, i32], returns: i32 },
    getdtablesize: { args: [], returns: i32 },
  } as const;
  for (const file of ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`]) {
    try {
      return dlopen(file, calls).symbols;
    } catch {
      // Another C library, or loading it is forbidden; the caller logs it.
    }
  }
  return null;
}

function addressIn(peer: Buffer): string {
  if (peer.readUInt16LE(0) === AF_INET) return peer.subarray(4, 8).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => peer.readUInt16BE(8 + 2 * i));
  const isWrapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isWrapped ? peer.subarray(20, 24).join(".") : groups.map((group) => group.toString(16)).join(":");
}
