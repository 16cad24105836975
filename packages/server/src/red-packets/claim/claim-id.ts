/** Greater than the number of shares of any packet. */
const RANKS = 256;

/** Returns a claim's id, which combines packet and rank so that claims of one packet are adjacent. */
export const claimId = (packetId: number, rank: number): number => packetId * RANKS + rank;
