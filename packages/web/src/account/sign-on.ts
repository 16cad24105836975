/**
 * Returns the address that begins a login by the identity provider and leads back to what the page shows now. With
 * `isAgain` the provider checks the person, although it knows the browser.
 */
export function signOnHref(isAgain = false): string {
  const query = new URLSearchParams({ return_to: `/${location.hash}`, ...(isAgain ? { reauth: "true" } : {}) });
  return `/api/auth/oidc/start?${query}`;
}
