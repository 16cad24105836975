/**
 * Runs in the page before its own scripts (plain JavaScript, because it never passes a bundler). Everything is measured by the page's
 * own clock, whose zero is the beginning of the navigation.
 */
(() => {
  /** Calls back when what is in the document now has been drawn: after the next picture was made. */
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

  /** Notes when each picture is begun, and now and then whether there is a message in the middle of the list. */
  probe.startFrames = () => {
    const frames = { at: [], looked: 0, blank: 0, isOn: true };
    probe.frames = frames;
    const scroller = document.querySelector(".scroller");
    // The list takes no pointer while it is scrolled, so that the document cannot be asked what is at a point.
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

  /** From the moment the key was pressed until the letter has been drawn. */
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
