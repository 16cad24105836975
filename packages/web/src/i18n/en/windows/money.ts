/** English texts about coins, wallets and prices. `i18n/zh-money.ts` has the same keys. */
export const EN_MONEY = {
  /** Chains with well-known names; others are shown by their number. */
  chainNames: {
    "1": "Ethereum",
    "10": "Optimism",
    "56": "BNB Chain",
    "101": "Solana",
    "102": "Solana testnet",
    "103": "Solana devnet",
    "104": "a private Solana cluster",
    "137": "Polygon",
    "8453": "Base",
    "42161": "Arbitrum",
    "11155111": "Sepolia",
    "84532": "Base Sepolia",
  },
  chain: (id: number) => `EVM chain ${id}`,
  on: (coin: string, chain: string) => `${coin} on ${chain}`,
  /** Failures of a wallet. */
  wallet: {
    refused: "You rejected the request in your wallet. Nothing was sent.",
    unknown_chain: "Your wallet doesn't know this chain. Add it there, then try again.",
    wrong_chain: "Your wallet is still on another chain. Switch it, then try again. Nothing was sent.",
    no_answer: "Your wallet didn't respond. Try again.",
    other: (message: string) => `Your wallet says: ${message}`,
  },
  transfer: {
    to: "Send to",
    amount: (coin: string) => `Amount in ${coin}`,
    exactly: "Send exactly this amount.",
    chain: "Chain",
    token: "Token",
    reference: "Reference",
    evmReference: "If your wallet accepts data (hex), enter this. It identifies the transfer as yours.",
    solanaReference: "Add this account to the transfer. It identifies the transfer as yours.",
    solanaPay: "Open in a Solana wallet",
    hash: "Transaction hash",
    signature: "Transaction signature",
    named: "I have paid",
  },
  place: {
    price: (price: string) => `Joining this channel costs ${price}.`,
    readable: "Members can read everything and post.",
    closed: "This channel has a price, and this server doesn't take payments. Only its members can read it.",
    unknown: (amount: string, currency: string) => `${amount} smallest units of ${currency}`,
    wallet: (price: string) => `Pay ${price} with your wallet`,
    byHand: "Pay another way",
    changed: (price: string) => `The price is now ${price}. You haven't paid anything yet.`,
    handHint:
      "Send exactly this amount from any wallet. The last digits identify the payment as yours. Then submit the transaction here.",
    holds: (time: string) => `This price is valid until ${time}.`,
    again: "Get a new price",
    steps: { asked: "Price quoted", sent: "Sent", checked: "Confirmed", joined: "Joined" },
    stepsName: "Progress",
    waiting: {
      payment_pending: "Transaction found. Waiting for confirmations…",
      tx_not_found: "The transaction isn't on the chain yet. Checking again…",
      chain_unavailable: "The chain isn't responding. Trying again…",
      unreachable: "Can't reach the server. Trying again…",
    },
    looking: "The server is checking the transaction…",
    staySafe: "You can close this page. The transaction is saved here until you've joined.",
    finish: "Finish joining",
    paidBefore: "You've already paid. Only the last step is left.",
    passwordAgain: "Enter the channel's password again.",
    joined: (name: string) => `You joined ${name}.`,
    another: "Submit another transaction",
    refused: {
      tx_failed: "This transaction failed on the chain, so nothing was paid. You only lost the fee.",
      wrong_recipient: "This transaction pays a different address.",
      wrong_currency: "This transaction uses a different coin or token.",
      amount_too_low: "This transaction pays less than the price.",
      payment_already_used: "This transaction has already paid for something else.",
      not_yours: "This transaction is someone else's payment.",
      invalid_payment_signature: "This isn't a valid transaction hash on that chain.",
      too_old: "This transaction is older than your price request, so it paid for something else.",
      not_bound:
        "We can't tell that this transaction is yours, because it isn't for the exact amount you were shown. Verify the address you paid from in your profile, then submit the transaction again.",
      unknown_payment_id:
        "The server no longer knows your price request. Get a new price. This transaction hasn't been used.",
      challenge_used: "Another transaction has already completed this payment. This one hasn't been used.",
      no_challenge: "Your price request has expired. Get a new price. This transaction hasn't been used.",
    },
  },
  /** A channel's price, in its settings. */
  price: {
    title: "Price to join",
    free: "Free",
    amount: "Price",
    hint: "Everyone who joins pays this once. It goes to the wallet you verified in your profile, or to this server's wallet if you haven't verified one.",
    gone: (currency: string, chain: string) => `${currency} on ${chain} (no longer accepted)`,
    invalid: (decimals: number) =>
      decimals === 0
        ? "Enter a whole number greater than 0."
        : `Enter a number greater than 0 with at most ${decimals} decimal places.`,
  },
};
