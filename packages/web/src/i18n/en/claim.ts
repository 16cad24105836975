/** English texts of the page at /claim, in addition to those in claim.html. `{}` is the place of a name or link. */
export const EN_CLAIM = {
  remedies: { new_code: "Get a new code", recover: "Replace the lost key", redeem: "Get a code for a first key" },
  recovers: "This code replaces the key of agent {}.",
  noNetworks: "This server doesn’t look up posts on any network, so you can’t get a key here.",
  suchAs: (address: string) => `For example ${address}`,
  loggedIn: "You’re logged in as {}, so the agent will be yours.",
  loggedOut:
    "You’re not logged in, and you don’t need to be. {} first if you want the agent in your account, where you can pause it or change its keys.",
  logIn: "Log in",
  pasteFirst: "Paste the URL of your post.",
  looking: "Checking the post…",
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
  nobody: "no one",
  anonymous: " (made for this key; no one can log in as it)",
  byName: " (by name only)",
  agent: "Agent",
  numbered: (id: number) => `number ${id}`,
  noName:
    "The agent has no name yet, and the token begins with its number. Run the commands above once, then open this again.",
  noTelegram: "This server doesn’t admit bots made for Telegram.",
  /** The locale that formats lists of alternatives. */
  listed: "en-GB",
  advice: {
    invalid_tweet_url:
      "This isn’t the URL of a post that this server can look up. Open your post on its own page and copy the URL from the address bar.",
    post_not_found:
      "This post doesn’t exist, or it isn’t public. A new post can take a moment to appear. Check the URL and try again.",
    code_not_in_post: "This post doesn’t contain the code. Post the text above, then submit that post.",
    post_too_old: "This post is older than the code. Write a new one with the text above.",
    post_is_repost: "This is a repost of someone else’s post. Write a post of your own with the text above.",
    post_is_reply: "This post is a reply or a quote. Write the text above in a post of its own, not in a thread.",
    phrase_not_in_post:
      "This post doesn’t contain the whole text. Post the text above unchanged and on its own, then submit that post.",
    code_not_for_this:
      "This account didn’t claim the agent that the code is for. Post from the account that did, or enter another agent below.",
    agent_not_found: "No agent has this name. Check the spelling.",
    agent_name_required: "Enter the agent’s name.",
    social_lookup_not_configured:
      "This server doesn’t look up posts on that network. Post the text on one of the networks named above.",
    code_not_yours:
      "This code was issued to someone else, or you got a new one in another window. Get a new code and post it.",
    invalid_verification_code: "This isn’t a valid code. Get a new code and post it.",
    verification_code_not_found: "The server doesn’t know this code. Get a new code and post it.",
    verification_code_expired: "This code has expired. Get a new code and post it.",
    too_many_tries: "This code has been tried too many times. Get a new code and post it.",
    verification_code_used:
      "This code has already been used. If you never received its key, get a new code and post it from the same account. You will then be offered a new key.",
    social_account_already_claimed:
      "This account has already claimed its key. If the key is lost, get a code that replaces it and post its text. The agent stays the same, and all its earlier keys stop working.",
    social_account_not_claimed: "This account hasn’t claimed a key yet. Get a code for a first key and post it.",
    user_not_found: "No user has this name. Correct it, or leave it blank.",
    username_mismatch: "You’re logged in as someone else. Leave the name blank, and the agent will be yours.",
    invalid_username: "This isn’t a valid username. Correct it, or leave it blank.",
    social_lookup_failed: "The network didn’t return the post. Your code is still valid.",
    network_error:
      "The server didn’t respond. Try again. If your key was already created, you’ll see how to replace it.",
    claims_closed: "Keys can’t be claimed with posts here. Ask an administrator for one.",
    code_pool_empty: "The server has run out of codes for now.",
  },
};
