import { isOfGrowing } from "../streams/growing.ts";

/** True for events of a channel that agents' event streams and waits ignore: they tell people what agents do. */
export const isForPeople = (event: string): boolean => isOfGrowing(event) || event === "agents:silent";
