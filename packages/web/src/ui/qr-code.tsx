/** Draws the server's QR code. The page's policy allows no pictures of other addresses, and parses no text as markup. */
export function QrCode({ svg, label }: { svg: string; label: string }) {
  const [, viewBox] = /viewBox="([\d .]+)"/.exec(svg) ?? [];
  const [, path] = /<path [^>]*d="([^"]+)"/.exec(svg) ?? [];
  if (viewBox === undefined || path === undefined) return null;
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={viewBox} shapeRendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
