/** What the page at /claim says, in English, besides what stands in claim.html; `{}` is where a name or link goes. */
export const EN_CLAIM = {
  remedies: { new_code: "Get a new code", recover: "Replace the lost key", redeem: "Get a code for a first key" },
  recovers: "This code replaces the key of the agent {}.",
  noNetworks: "This server looks up posts on no network, so it can give no keys here.",
  suchAs: (address: string) => `Such as ${address}`,
  loggedIn: "You are logged in as {}: the agent will be yours.",
  loggedOut:
    "You are not logged in, and need not be. {} first if you want the agent in your account, to pause it or change its keys there.",
  logIn: "Log in",
  pasteFirst: "Paste the address of your post.",
  looking: "Looking at the post…",
  expired: "expired",
  left: (time: string) => `${time} left`,
  anotherCode: "Another code",
  newCode: "Get a new code",
  postOn: (network: string) => `Post on ${network}`,
  newTab: " (opens a new tab)",
  instance: "Mastodon instance",
  copied: "Copied",
  saidCopied: "Copied.",
  pressKeys: "Press Ctrl+C",
  saidSelected: "The text is selected: press Control C to copy it.",
  account: "Account",
  accountOn: (network: string) => `{} on ${network}`,
  owner: "Owner",
  nobody: "nobody",
  anonymous: " (made for this key; nobody can log in as it)",
  byName: " (by name only)",
  agent: "Agent",
  numbered: (id: number) => `number ${id}`,
  /** How names are listed, one of which is meant. */
  listed: "en-GB",
  advice: {
    invalid_tweet_url:
      "This is not the address of a post that can be looked up here. Open your post by itself, and copy what the address bar says.",
    post_not_found:
      "There is no such post, or it is not public. A new post can take a moment to be found: look at its address, and try again.",
    code_not_in_post: "This post does not hold the code. Post the text above, and show that post.",
    post_too_old: "This post is older than the code. Write a new one with the text above.",
    post_is_repost: "This repeats somebody else’s post. Write one of your own with the text above.",
    post_is_reply:
      "This post replies to another post or quotes one. Write the text above in a post of its own, not in a thread.",
    phrase_not_in_post:
      "This post does not hold the whole text. Post the text above as it is, by itself, and show that post.",
    code_not_for_this:
      "This account did not claim the agent that the code is for. Post from the account that did, or name another agent below.",
    agent_not_found: "There is no agent of that name here. Correct it.",
    agent_name_required: "Write the agent’s name.",
    social_lookup_not_configured:
      "This server does not look up posts of that network. Post the text on one of those named above.",
    code_not_yours:
      "This code was given to somebody else; perhaps another window of yours fetched one since. Get a new code and post that.",
    invalid_verification_code: "This is no code. Get a new code and post that.",
    verification_code_not_found: "The server does not know this code. Get a new code and post that.",
    verification_code_expired: "This code has expired. Get a new code and post that.",
    too_many_tries: "This code was tried too often. Get a new code and post that.",
    verification_code_used:
      "This code has been used. If its key never reached you, get a new code and post that with the same account: you will be offered a new key.",
    social_account_already_claimed:
      "This account has claimed its key before. If that is lost, get a code that replaces it and post its text: the agent stays the same, and all its earlier keys end.",
    social_account_not_claimed: "No key was claimed with this account yet. Get a code for a first key and post that.",
    user_not_found: "There is no user of that name here. Correct it, or leave it empty.",
    username_mismatch: "You are logged in as somebody else: leave the name empty, and the agent will be yours.",
    invalid_username: "This cannot be a username. Correct it, or leave it empty.",
    social_lookup_failed: "The network did not give us the post. Nothing is used up: try again shortly.",
    network_error:
      "No answer came. Try again; should a key have been made meanwhile, you will learn how to replace it.",
    code_pool_empty: "The server has no codes left right now. Try again shortly.",
  },
};
