import { expect, test } from "bun:test";
import { systemClock } from "../clock.ts";
import { Metrics } from "./metrics.ts";

test("counters appear in Prometheus' text format, and a second scrape does not double them", async () => {
  using metrics = new Metrics(systemClock);
  const observe = metrics.routeObserver("GET", "/api/messages");
  observe(200, 0.0007);
  observe(200, 0.02);
  observe(401, 99);
  metrics.batchCommitted(3, 0.004);
  metrics.batchCommitted(1, 0.002);
  metrics.socketOpened();
  metrics.socketOpened();
  metrics.socketClosed();
  metrics.framesSent(7);
  metrics.slowReaderClosed();
  metrics.rateLimitRefused("login");
  metrics.hashQueueIs(5);
  metrics.fileUploaded(10);
  metrics.fileUploaded(5);
  metrics.fileRefused("quota_reached");

  await metrics.render();
  const lines = (await metrics.render()).split("\n");
  expect(lines).toEqual(
    expect.arrayContaining([
      'parley_http_requests_total{method="GET",route="/api/messages",status="200"} 2',
      'parley_http_requests_total{method="GET",route="/api/messages",status="401"} 1',
      'parley_http_request_duration_seconds_bucket{method="GET",route="/api/messages",le="0.0005"} 0',
      'parley_http_request_duration_seconds_bucket{method="GET",route="/api/messages",le="0.001"} 1',
      'parley_http_request_duration_seconds_bucket{method="GET",route="/api/messages",le="30"} 2',
      'parley_http_request_duration_seconds_bucket{method="GET",route="/api/messages",le="+Inf"} 3',
      'parley_http_request_duration_seconds_count{method="GET",route="/api/messages"} 3',
      "parley_messages_appended_total 4",
      'parley_commit_batch_messages_bucket{le="1"} 1',
      'parley_commit_batch_messages_bucket{le="4"} 2',
      "parley_commit_duration_seconds_sum 0.006",
      "parley_sockets_open 1",
      "parley_frames_sent_total 7",
      "parley_slow_readers_closed_total 1",
      'parley_rate_limit_refusals_total{policy="login"} 1',
      "parley_password_hash_queue 5",
      "parley_file_uploads_total 2",
      "parley_file_upload_bytes_total 15",
      'parley_file_refusals_total{code="quota_reached"} 1',
    ]),
  );
});

test("two observers of one route share a counter", async () => {
  using metrics = new Metrics(systemClock);
  metrics.routeObserver("GET", "/livez")(200, 0.001);
  metrics.routeObserver("GET", "/livez")(200, 0.001);
  expect(await metrics.render()).toContain('parley_http_requests_total{method="GET",route="/livez",status="200"} 2');
});
