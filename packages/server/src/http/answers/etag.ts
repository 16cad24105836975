/** True if the request's `If-None-Match` names this tag. Weak tags match too (RFC 9110, 13.1.2). */
export function hasTag(request: Request, etag: string): boolean {
  const header = request.headers.get("if-none-match");
  if (header === null) return false;
  return header.split(",").some((item) => item.trim() === "*" || item.trim().replace(/^W\//, "") === etag);
}
