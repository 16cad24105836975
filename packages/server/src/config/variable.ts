export type Profile = "development" | "production";

/** One setting. The reference page and the parser both use this definition, so they cannot disagree. */
export interface Variable<T> {
  name: string;
  meaning: string;
  /** The text that is parsed if the variable is not set; null: the setting is then absent. */
  byDefault: string | Record<Profile, string> | null;
  parse: (raw: string) => T;
  /** Never repeated in a message. May be given as `<name>_FILE`, the path of a file with the value. */
  secret?: true;
}
