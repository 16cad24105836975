/** Reads a value from localStorage. Where storage is unavailable (private windows), nothing outlives the page. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`parley.${name}`);
  } catch {
    return null;
  }
}

/** Returns the names of stored values that start with the prefix. */
export function storedNames(prefix: string): string[] {
  try {
    const own = `parley.${prefix}`;
    return Object.keys(localStorage).flatMap((name) => (name.startsWith(own) ? [name.slice("parley.".length)] : []));
  } catch {
    return [];
  }
}

/** Stores a value; null removes it. */
export function writeStored(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`parley.${name}`);
    else localStorage.setItem(`parley.${name}`, value);
  } catch {
    // If storage is full or forbidden, only this value is lost.
  }
}
