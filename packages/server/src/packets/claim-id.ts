/** More than the shares of a packet. */
const RANKS = 256;

/** The number of a claim: its packet's and its rank in one, so that claims of one packet are neighbours. */
export const claimId = (packetId: number, rank: number): number => packetId * RANKS + rank;
