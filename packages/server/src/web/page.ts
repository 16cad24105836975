/** A file of the page. */
export interface WebFile {
  /** Its path below the server's root. */
  path: string;
  type: string;
  text: string;
}

/** The page at `/`: its HTML, and the files it asks for, whose names change with what is in them. */
export interface WebPage {
  html: string;
  files: WebFile[];
}
