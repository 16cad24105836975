/** In the map, of an account that was there before the import: it stays when the import is undone. */
export const USED = "used";
