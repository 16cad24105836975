/** Does the request's `If-None-Match` name this tag? Weak ones count (RFC 9110, 13.1.2). */
export function hasTag(request: Request, etag: string): boolean {
  const header = request.headers.get("if-none-match");
  if (header === null) return false;
  return header.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
