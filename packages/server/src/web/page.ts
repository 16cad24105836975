/** A file of the pages. */
export interface WebFile {
  /** Its path below the server's root. */
  path: string;
  type: string;
  text: string;
}

/** The pages: the chat at `/`, the claim of a key at `/claim`. */
export type PageName = "chat" | "claim";

/** Their HTML, and the files it asks for, whose names change with what is in them. */
export interface WebPages {
  html: Record<PageName, string>;
  files: WebFile[];
}
