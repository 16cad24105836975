/** The page at /docs: Swagger UI over /api/openapi.json, served entirely by this server. */
export const API_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<noscript><p>This page needs JavaScript; the document behind it is at <a href="/api/openapi.json">/api/openapi.json</a>.</p></noscript>
<script src="/docs/assets/swagger-ui.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`;

/** Starts Swagger UI. `validatorUrl` is null because a validator would send the document to an external host. */
export const API_PAGE_SCRIPT = `SwaggerUIBundle({
  url: "/api/openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Swagger UI sets style attributes and shows images from data: URLs; nothing loads from another host. */
export const API_PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
