import { dlopen, FFIType } from "bun:ffi";
import { readdir } from "node:fs/promises";

/** The other end of a TCP connection. */
export interface Peer {
  address: string;
  /** Unchanged as long as the descriptor belongs to the same connection. */
  key: string;
}

/** The sockets of this process, by file descriptor. */
export interface ProcessSockets {
  /** Lists the open descriptors of every kind. */
  descriptors(): Promise<number[]>;
  /** Returns the peer of a TCP connection, `known` itself if it is the same one; null for everything else. */
  peerOf(descriptor: number, known: Peer | undefined): Peer | null;
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
/** Family, port, and the address of either kind. */
const KEY_BYTES = 24;

/**
 * Opens the C library. Returns null where that is impossible: on systems other than Linux, or where generating code at
 * run time is forbidden.
 */
export function processSockets(): ProcessSockets | null {
  const libc = process.platform === "linux" ? openLibc() : null;
  if (libc === null) return null;
  const name = Buffer.alloc(128);
  const length = new Uint32Array(1);
  const ask = (call: (...args: [number, Buffer, Uint32Array]) => number, descriptor: number): boolean => {
    length[0] = name.length;
    if (call(descriptor, name, length) !== 0) return false;
    const family = name.readUInt16LE(0);
    return family === AF_INET || family === AF_INET6;
  };
  return {
    async descriptors() {
      try {
        return (await readdir("/proc/self/fd")).map(Number);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EMFILE")) throw error;
        // No descriptor is left to open the folder with, so try every possible one.
        return Array.from({ length: libc.getdtablesize() }, (_, descriptor) => descriptor);
      }
    },
    peerOf(descriptor, known) {
      if (!ask(libc.getpeername, descriptor)) return null;
      if (known !== undefined && isKeyOf(name, known.key)) return known;
      return { address: addressIn(name), key: name.toString("latin1", 0, KEY_BYTES) };
    },
    localPort: (descriptor) => (ask(libc.getsockname, descriptor) ? name.readUInt16BE(2) : null),
    shutDown: (descriptor) => void libc.shutdown(descriptor, SHUT_RDWR),
  };
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

/** Compares without making a text: this runs for every connection, every second. */
function isKeyOf(name: Buffer, key: string): boolean {
  for (let at = 0; at < KEY_BYTES; at += 1) if (name[at] !== key.charCodeAt(at)) return false;
  return true;
}

/** Reads the address from a `sockaddr`. An IPv4 address that IPv6 wraps is returned as IPv4. */
function addressIn(name: Buffer): string {
  if (name.readUInt16LE(0) === AF_INET) return name.subarray(4, 8).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => name.readUInt16BE(8 + 2 * i));
  const isWrapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  return isWrapped ? name.subarray(20, 24).join(".") : groups.map((group) => group.toString(16)).join(":");
}
