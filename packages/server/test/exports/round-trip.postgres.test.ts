import { openMigratedPlace } from "../support/databases.ts";
import { roundTrips } from "../support/exports/round-trip-suite.ts";

roundTrips(() => openMigratedPlace());
