// The shared worker: holds the stream of events for the tabs of one account.

import { Stream } from "./stream.js";

const stream = new Stream();
let count = 0;

addEventListener("connect", (event) => {
  const port = event.ports[0];
  const id = ++count;
  port.onmessage = ({ data }) => {
    if (data.kind === "want") stream.want(id, data.topics, (message) => port.postMessage(message));
    else if (data.kind === "retry") stream.retryNow();
    else if (data.kind === "leave") stream.drop(id);
    // A tab that crashes says nothing; the lock that it holds comes free.
    else if (data.kind === "lock") navigator.locks?.request(data.name, () => stream.drop(id));
  };
  port.start();
});
