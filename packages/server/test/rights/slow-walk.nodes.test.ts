import { slowWalkTests } from "../support/rights/slow-walk-tests.ts";

slowWalkTests("two nodes");
