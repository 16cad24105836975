/**
 * Runs in the page before the page's own scripts. It is plain JavaScript because no bundler processes it. All times are in
 * milliseconds of the page's own clock, which starts at 0 with the navigation.
 */
(() => {
  /** Calls `act` when the current document has been drawn, which is after the next frame. */
  const afterDrawing = (act) =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => act(performance.now());
      port2.postMessage(null);
    });

  const isInSight = (element) => {
    const { top, bottom, height } = element.getBoundingClientRect();
    return height > 0 && bottom > 0 && top < innerHeight && element.checkVisibility({ visibilityProperty: true });
  };

  const probe = { firstMessage: null, frames: null, keys: [], interactions: [], longTasks: [] };
  globalThis.parleyProbe = probe;

  probe.firstMessage = new Promise((resolve) => {
    const look = () => {
      const isThere = [...document.querySelectorAll("article.message .body")].some(isInSight);
      if (isThere) afterDrawing(resolve);
      else requestAnimationFrame(look);
    };
    look();
  });

  /** Records when each frame begins, and for every fifth frame whether a message is in the middle of the list. */
  probe.startFrames = () => {
    const frames = { at: [], looked: 0, blank: 0, isOn: true };
    probe.frames = frames;
    const scroller = document.querySelector(".scroller");
    // The list ignores the pointer while it scrolls, so elementFromPoint cannot be used.
    const lookAtMiddle = () => {
      const { top, height } = scroller.getBoundingClientRect();
      const middle = top + height / 2;
      frames.looked += 1;
      const isThere = [...scroller.querySelectorAll("li")].some((row) => {
        const place = row.getBoundingClientRect();
        return place.top <= middle && place.bottom >= middle && row.checkVisibility({ visibilityProperty: true });
      });
      if (!isThere) frames.blank += 1;
    };
    const frame = (now) => {
      if (!frames.isOn) return;
      frames.at.push(now);
      if (frames.at.length % 5 === 0) afterDrawing(lookAtMiddle);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
  probe.stopFrames = () => {
    const { at, looked, blank } = probe.frames;
    probe.frames.isOn = false;
    return { at, looked, blank };
  };

  /** Records the time from each key press until its letter has been drawn. */
  probe.startKeys = () => {
    probe.keys = [];
    probe.interactions = [];
    const field = document.querySelector("textarea#text");
    field.addEventListener("keydown", ({ timeStamp }) => {
      const before = field.value;
      afterDrawing((now) => probe.keys.push({ ms: now - timeStamp, isThere: field.value !== before }));
    });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) if (name === "keydown") probe.interactions.push(duration);
    }).observe({ type: "event", durationThreshold: 16 });
  };

  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) probe.longTasks.push({ startTime, duration });
  }).observe({ type: "longtask" });
})();
