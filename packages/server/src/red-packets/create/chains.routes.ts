import { ChainsResponse } from "@parley/protocol/chains";
import { type Route, route } from "../../http/route.ts";
import { chainList } from "./chain-list.ts";

/** Routes that list the assets of red packets and prices. */
export const chainRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/chains",
    summary: "List the chains, coins and tokens that red packets and prices can use.",
    tag: "Payments",
    auth: "open",
    rights: "see the service",
    answers: { 200: ChainsResponse },
    errors: [],
    handle: ({ ctx }) => ({ chains: chainList(ctx) }),
  }),
];
