import { roundTrips } from "../support/exports/round-trip-suite.ts";

roundTrips(async () => null);
