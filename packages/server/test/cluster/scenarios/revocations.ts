import { expect } from "bun:test";
import { Lab, type LabNode } from "../../support/cluster/lab.ts";
import { percentile, type Scenario } from "../../support/cluster/scenario.ts";
import { newChannel } from "../../support/new-channel.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { type Answered, Client, logIn, signUp } from "../../support/servers/test-server.ts";

/** The most time, in ms, after which a node must enforce a revocation that it could not hear. */
const WORST_MS = 2_000;

/** A right that one node takes away while another one serves its holder. */
interface Revocation {
  name: string;
  /** Takes the right away; `owner` and `holder` are connected to the first node. */
  take(trial: Trial): Promise<Answered>;
  /** A request that the holder may make only with the right. */
  path(trial: Trial): string;
}

interface Trial {
  owner: Client;
  holder: Client;
  holderName: string;
  channelId: number;
}

const PASSWORD = "open sesame";
const TRIALS_PER_OWNER = 50;

const REVOCATIONS: readonly Revocation[] = [
  {
    name: "logout",
    take: ({ holder }) => holder.post("/api/auth/logout"),
    path: () => "/api/auth/sessions",
  },
  {
    name: "kick",
    take: ({ owner, channelId, holderName }) => owner.delete(`/api/channels/${channelId}/members/${holderName}`),
    path: ({ channelId }) => `/api/messages?channel_id=${channelId}`,
  },
  {
    name: "ban",
    take: ({ owner, channelId, holderName }) => owner.post(`/api/channels/${channelId}/bans`, { username: holderName }),
    path: ({ channelId }) => `/api/messages?channel_id=${channelId}`,
  },
];

/** Guarantee P17: once a revocation is answered, no node honors the right; 2 s later at worst if nodes are cut off. */
export const revocations: Scenario<{
  nodes: number;
  trials: number;
  cutTrials: number;
  pauses: number;
  pauseMs: number;
}> = {
  name: "revocations",
  title: "a right that one node has taken away is honored by no other, also without Redis and after a pause",
  short: { nodes: 3, trials: 9, cutTrials: 3, pauses: 1, pauseMs: 3_000 },
  long: { nodes: 3, trials: 1_000, cutTrials: 200, pauses: 3, pauseMs: 30_000 },
  async run({ nodes, trials, cutTrials, pauses, pauseMs }, say) {
    await using lab = await Lab.open(nodes);
    const bench = new Bench(lab);
    // The rights are taken away on node 0, so another one serves their holder.
    const far = (n: number) => lab.node(1 + (n % (nodes - 1)));
    const ends: number[] = [];
    for (let n = 0; n < trials; n++) {
      ends.push(await bench.trial(n, far(n), 0));
      if (n % 100 === 99) say(`${n + 1} revocations`);
    }
    lab.bus.cut();
    const cutEnds: number[] = [];
    for (let n = 0; n < cutTrials; n++) {
      cutEnds.push(await bench.trial(n, far(n), WORST_MS));
      if (n % 50 === 49) say(`${n + 1} revocations without Redis`);
    }
    lab.bus.mend();
    for (let n = 0; n < pauses; n++) await bench.pausedTrial(n, far(n), pauseMs);
    return {
      trials,
      cutTrials,
      pauses,
      frames: bench.frames,
      socketEndMsP99: percentile(ends, 99),
      socketEndMsMax: percentile(ends, 100),
      cutEndMsP99: percentile(cutEnds, 99),
      cutEndMsMax: percentile(cutEnds, 100),
    };
  },
};

class Bench {
  /** Frames that a socket got after its right was gone: none may come. */
  frames = 0;
  readonly #lab: Lab;
  #owner: Client | undefined;
  #users = 0;

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  /** A user who owns the channels of the next trials: nobody may own the channels of all of them. */
  async #nextOwner(): Promise<Client> {
    if (this.#owner === undefined || this.#users % TRIALS_PER_OWNER === 0) {
      this.#owner = await signUp(this.#lab.node(0).url, `owner${this.#users}`);
    }
    return this.#owner;
  }

  /**
   * Takes a right away on the first node while `far` serves its holder. `graceMs` is how long `far` may honor it after
   * the answer. Returns how long the holder's socket heard the channel after the answer, in ms.
   */
  async trial(n: number, far: LabNode, graceMs: number): Promise<number> {
    const { revocation, trial, socket } = await this.#prepare(n, far);
    const there = new Client(far.url, trial.holder.credential);
    const taken = await revocation.take(trial);
    const answeredAt = performance.now();
    expect([200, 201]).toContain(taken.status);
    let isGone = false;
    while (!isGone) {
      const { status } = await there.get(revocation.path(trial));
      isGone = status !== 200;
      if (!isGone && performance.now() - answeredAt > graceMs) {
        throw new Error(`${revocation.name} was not in force on ${far.name} after ${graceMs} ms: ${status}`);
      }
    }
    return this.#silence(revocation, trial, socket, answeredAt);
  }

  /** Pauses `far`, takes the right away, and wakes `far`: it must refuse the holder's first request. */
  async pausedTrial(n: number, far: LabNode, pauseMs: number): Promise<void> {
    const { revocation, trial, socket } = await this.#prepare(n, far);
    const there = new Client(far.url, trial.holder.credential);
    far.pause();
    const taken = await revocation.take(trial);
    expect([200, 201]).toContain(taken.status);
    // Sent before the node wakes, so that it is the first thing that the node sees.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    const first = there.get(revocation.path(trial));
    far.resume();
    expect((await first).status).not.toBe(200);
    await this.#silence(revocation, trial, socket, performance.now());
  }

  async #prepare(n: number, far: LabNode) {
    const revocation = REVOCATIONS[n % REVOCATIONS.length];
    if (revocation === undefined) throw new Error("There are no revocations.");
    const near = this.#lab.node(0);
    const owner = await this.#nextOwner();
    const holderName = `holder${++this.#users}`;
    await signUp(near.url, holderName);
    const holder = await logIn(near.url, holderName);
    const { id } = await newChannel(owner, { is_private: true, password: PASSWORD });
    expect((await holder.post(`/api/channels/${id}/join`, { password: PASSWORD })).status).toBe(200);
    const socket = await TestSocket.open(far.url, holder.credential);
    const joined = await socket.command("channel:join", { channel_id: id });
    expect(joined.event).toBe("ack");
    const trial = { owner, holder, holderName, channelId: id };
    expect((await new Client(far.url, holder.credential).get(revocation.path(trial))).status).toBe(200);
    return { revocation, trial, socket };
  }

  /** Waits until the socket has lost the channel, then posts there: the socket must not get it. */
  async #silence(revocation: Revocation, { owner, channelId }: Trial, socket: TestSocket, since: number) {
    const isLost = () =>
      revocation.name === "logout"
        ? Promise.race([socket.closed.then(() => true), new Promise((resolve) => setTimeout(resolve, WORST_MS, false))])
        : socket.next(({ event }) => event === "access:ended", WORST_MS).then(() => true);
    expect(await isLost()).toBe(true);
    const took = performance.now() - since;
    await owner.post("/api/messages", { channel_id: channelId, content: "not for the holder" });
    // A later answer of the same socket proves that nothing of the channel was on the way.
    if (revocation.name !== "logout") await socket.command("ping");
    this.frames += socket.frames.filter(({ event }) => event === "message:new").length;
    expect(this.frames).toBe(0);
    socket.terminate();
    return took;
  }
}
