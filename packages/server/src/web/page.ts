/** A file of the pages. */
export interface WebFile {
  /** Its path below the server's root. */
  path: string;
  type: string;
  text: string;
}

/** The pages: the chat at `/`, the key claim at `/claim`. */
export type PageName = "chat" | "claim";

/** The pages' HTML and the files it refers to, whose names change with their content. */
export interface WebPages {
  html: Record<PageName, string>;
  files: WebFile[];
  /** The script of the service worker. Its address stays the same, and browsers look for new versions there. */
  worker: string;
}
