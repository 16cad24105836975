import type { ClaimNetwork } from "@parley/protocol/claims";
import type { ClaimTexts } from "../i18n/claim-texts.ts";

/** Returns the display name of a network. */
export function networkName({ provider, host }: ClaimNetwork): string {
  return provider === "x" ? "X" : provider === "bluesky" ? "Bluesky" : host;
}

/**
 * Returns the URL of the network's compose page with the text filled in. X: web intents; Bluesky: action intent links
 * (https://docs.bsky.app/docs/advanced-guides/intent-links); Mastodon: its page `/share`.
 */
export function composeUrl({ provider, host }: ClaimNetwork, text: string): string {
  const query = `text=${encodeURIComponent(text)}`;
  switch (provider) {
    case "x":
      return `https://${host}/intent/post?${query}`;
    case "bluesky":
      return `https://${host}/intent/compose?${query}`;
    case "mastodon":
      return `https://${host}/share?${query}`;
  }
}

/** Returns an example of a post's URL on the network. */
export function addressExample({ provider, host }: ClaimNetwork): string {
  switch (provider) {
    case "x":
      return `https://${host}/name/status/1234567890`;
    case "bluesky":
      return `https://${host}/profile/name.bsky.social/post/3kabcdefghijk`;
    case "mastodon":
      return `https://${host}/@name/1234567890`;
  }
}

/** Formats a list such as `X, Bluesky or mastodon.social`. */
export function networkList(networks: readonly ClaimNetwork[], { texts }: ClaimTexts): string {
  return new Intl.ListFormat(texts.listed, { type: "disjunction" }).format(networks.map(networkName));
}
