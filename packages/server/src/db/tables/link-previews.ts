import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Fetches of the last 24 hours of pages to which links in messages lead (protocol §13.4). */
export interface LinkPagesTable {
  /** SHA-256 of the address, hex. */
  url_hash: string;
  /** When a node began to fetch it last. */
  taken_at: Millis;
  /** null: that has not ended. 0: it failed by the moment, and is made again soon. */
  fetched_at: Millis | null;
  /** null: there is nothing to show. */
  title: string | null;
  description: string | null;
  site_name: string | null;
  /** The picture that is copied for each message with the link. */
  picture_id: string | null;
}

/** Copies of the pictures of pages. Their bytes are in the file storage. */
export interface LinkPicturesTable {
  /** Random, hex. */
  id: string;
  sha256: string;
  size_bytes: number;
  /** The message that shows it; null: it belongs to a page. */
  message_id: number | null;
  created_at: Millis;
}

export interface LinkPreviewTables {
  link_pages: LinkPagesTable;
  link_pictures: LinkPicturesTable;
}

export const dataClasses: DataClasses = {
  link_pages: { erased: { keep: "url_hash taken_at fetched_at title description site_name picture_id" } },
  link_pictures: { erased: { keep: "id sha256 size_bytes message_id created_at" }, purged: "delete" },
};
